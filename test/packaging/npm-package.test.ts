import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort, RealProcess, run } from '../support/real-process.ts';

const root = new URL('../..', import.meta.url).pathname;
const packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);
const ownEnvironment = true;
let folder: string;
let paths: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-package-'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root, ownEnvironment });
  const listed = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=silent'], {
    ...{ cwd: root, ownEnvironment },
  });
  const [{ filename, files }] = packed.parse(JSON.parse(listed.slice(listed.indexOf('['))));
  paths = files.map(({ path }) => path);
  await run('npm', ['install', '--prefer-offline', join(folder, filename)], { cwd: folder, ownEnvironment });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the package holds the build, the pages and the documents, and neither sources nor tests', () => {
  const tops = new Set(paths.map(path => path.split('/', 1)[0]));
  expect([...tops].sort()).toEqual(['README.md', 'config', 'dist', 'docs', 'package.json']);
  expect(paths.filter(path => path.endsWith('.ts'))).toEqual([]);
  expect(paths).toContain('dist/admin/status/page/uplot.js');
});

it('in an empty folder, npx tidegate checks a configuration, and ends with 2 where it is wrong', async () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const npx = (...args: string[]) => run('npx', ['tidegate', ...args], { cwd: folder, ownEnvironment });
  expect((await npx('--version')).trim()).toContain(version);
  writeFileSync(join(folder, 'good.yaml'), 'listen: { port: 8080 }\n');
  expect(await npx('check', '--config', 'good.yaml')).toContain('good.yaml can be used');
  writeFileSync(join(folder, 'wrong.yaml'), 'listen: { prot: 8080 }\n');
  await expect(npx('check', '--config', 'wrong.yaml')).rejects.toThrow(/ended with 2:\n[\s\S]*listen\.prot/);
});

it('node_modules/.bin/tidegate starts with the sample bucket and all pages', async () => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = { TIDEGATE_PORT: String(port), TIDEGATE_ADMIN_PORT: String(adminPort) };
  const gateway = new RealProcess('node_modules/.bin/tidegate', [], { cwd: folder, environment });
  const statusOf = async (url: string) => (await fetch(url)).status;
  try {
    await gateway.answers(`http://127.0.0.1:${adminPort}/readyz`);
    expect(await statusOf(`http://127.0.0.1:${port}/sample/hello.txt`)).toBe(200);
    const pages = ['/', '/channel', '/objects', '/runbook', '/metrics', '/status/page/uplot.js'];
    for (const page of [...pages, '/channel/adaptivecards.js', '/channel/markdown-it.js'])
      expect([page, await statusOf(`http://127.0.0.1:${adminPort}${page}`)]).toEqual([page, 200]);
    expect(gateway.output).toContain('Tidegate serves the bucket "sample"');
  } finally {
    expect(await gateway.stop()).toBe(0);
  }
});
