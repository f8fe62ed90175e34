import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { freePort, RealProcess } from '../support/real-process.ts';

const lockFile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });
const root = new URL('../..', import.meta.url).pathname;

it('what is built of the sources runs by itself, with its threads and pages', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-build-'));
  const dist = join(directory, 'dist');
  const compile = ['node_modules/typescript-7/bin/tsc', '-p', 'config/tsconfig.build.json', '--outDir', dist];
  execFileSync(process.execPath, compile, { cwd: root });
  execFileSync(process.execPath, ['config/copy-pages.mjs', dist], { cwd: root });
  copyFileSync(join(root, 'package.json'), join(directory, 'package.json'));
  linkRuntimeDependencies(join(directory, 'node_modules'));
  expect(readFileSync(join(dist, 'start.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);

  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = { TIDEGATE_PORT: String(port), TIDEGATE_ADMIN_PORT: String(adminPort) };
  const started = new RealProcess(process.execPath, [join(dist, 'start.js')], {
    cwd: directory,
    environment,
  });
  try {
    await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
    expect((await fetch(`http://127.0.0.1:${port}/sample/hello.txt`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${adminPort}/`)).text()).toContain('<title>Tidegate</title>');
    for (const library of ['adaptivecards', 'markdown-it'])
      expect(await (await fetch(`http://127.0.0.1:${adminPort}/channel/${library}.js`)).text()).toBe(
        readFileSync(join(dist, `admin/channel/page/${library}.js`), 'utf8'),
      );
    expect(await (await fetch(`http://127.0.0.1:${adminPort}/status/page/uplot.js`)).text()).toBe(
      readFileSync(join(dist, 'admin/status/page/uplot.js'), 'utf8'),
    );
    expect(await started.stop()).toBe(0);
  } finally {
    await started.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});

/** What an installation of the package has: no development dependencies. */
function linkRuntimeDependencies(destination: string): void {
  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = lockFile.parse(lock).packages;
  for (const [path, { dev }] of Object.entries(installed)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (dev || name === undefined || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(destination, name)), { recursive: true });
    symlinkSync(join(root, path), join(destination, name));
  }
}

it.each([
  ['is kept beside them, for threads as well', {}, 'beside'],
  ['is kept where the environment says', { NODE_COMPILE_CACHE: 'elsewhere' }, 'elsewhere'],
  ['is not kept where the environment says so', { NODE_DISABLE_COMPILE_CACHE: '1' }, undefined],
] as const)('what is compiled of the sources %s', (_, environment, kept) => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-compiled-'));
  const places = { beside: join(directory, 'node_modules/.cache/compiled'), elsewhere: 'elsewhere' };
  try {
    mkdirSync(join(directory, 'src'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    copyFileSync(join(root, 'src/start.js'), join(directory, 'src/start.js'));
    const main = "process.stdout.write(process.env.NODE_COMPILE_CACHE ?? 'nowhere');";
    writeFileSync(join(directory, 'src/main.js'), main);
    const { NODE_COMPILE_CACHE: _ours, NODE_DISABLE_COMPILE_CACHE: _off, ...env } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, ['src/start.js'], {
      ...{ cwd: directory, env: { ...env, ...environment }, encoding: 'utf8' },
    });
    expect([stdout, stderr]).toEqual([kept ? places[kept] : 'nowhere', '']);
    for (const place of ['beside', 'elsewhere'] as const) {
      const path = resolve(directory, places[place]);
      const files = existsSync(path) ? readdirSync(path, { recursive: true }) : [];
      expect(files.length > 0, place).toBe(place === kept);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it('under an older Node the command says which one it needs, and ends with 2', () => {
  const pretend =
    'for (const [name, value] of [["version", "v20.20.2"], ["versions", { ...process.versions, node: "20.20.2" }]])' +
    'Object.defineProperty(process, name, { value })';
  const start = join(root, 'src/start.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, start, '--version'],
    { encoding: 'utf8' },
  );
  expect([status, stdout, stderr]).toEqual([2, '', 'tidegate: needs Node 26 or newer (this is v20.20.2)\n']);
});
