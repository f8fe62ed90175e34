/** The second half of the build: what pages are made of lies beside the compiled code as it lies beside the sources. */
import { cpSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [destination = fileURLToPath(new URL('../dist', import.meta.url))] = process.argv.slice(2);
const source = fileURLToPath(new URL('../src', import.meta.url));

cpSync(source, destination, {
  recursive: true,
  filter: path => statSync(path).isDirectory() || /\.(?:html|css|js)$/.test(path),
});
