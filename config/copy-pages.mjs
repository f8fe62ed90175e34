/**
 * The second half of the build: what pages are made of lies beside the compiled code as it lies beside the sources, and
 * with it the libraries of pages, which are development dependencies, each with its licence.
 */
import { copyFileSync, cpSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageLibraries } from '../src/admin/page-libraries.ts';

const [destination = fileURLToPath(new URL('../dist', import.meta.url))] = process.argv.slice(2);
const source = fileURLToPath(new URL('../src', import.meta.url));

cpSync(source, destination, {
  recursive: true,
  filter: path => statSync(path).isDirectory() || /\.(?:html|css|js)$/.test(path),
});

const { resolve } = createRequire(import.meta.url);
for (const [name, module] of Object.entries(pageLibraries)) {
  const [library = ''] = module.split('/', 1);
  const root = resolve(module).split(join('node_modules', library))[0] ?? '';
  copyFileSync(resolve(module), join(destination, 'admin', name));
  copyFileSync(join(root, 'node_modules', library, 'LICENSE'), join(destination, 'admin', `${name}.LICENSE`));
}
