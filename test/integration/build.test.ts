import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort, RealProcess } from '../support/real-process.ts';

const root = new URL('../..', import.meta.url).pathname;

it('what is built of the sources runs by itself, with its threads and pages', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-build-'));
  const dist = join(directory, 'dist');
  const tool = (name: string) => join(root, 'node_modules/.bin', name);
  execFileSync(tool('tsc'), ['-p', 'config/tsconfig.build.json', '--outDir', dist], { cwd: root });
  execFileSync(process.execPath, ['config/copy-pages.mjs', dist], { cwd: root });
  copyFileSync(join(root, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  expect(readFileSync(join(dist, 'main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);

  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = { TIDEGATE_PORT: String(port), TIDEGATE_ADMIN_PORT: String(adminPort) };
  const started = new RealProcess(process.execPath, [join(dist, 'main.js')], { cwd: directory, environment });
  try {
    await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
    expect((await fetch(`http://127.0.0.1:${port}/sample/hello.txt`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${adminPort}/`)).text()).toContain('<title>Tidegate</title>');
    expect(await started.stop()).toBe(0);
  } finally {
    await started.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
