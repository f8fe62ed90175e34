import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const copies: string[] = [];

afterEach(() => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
});

/** The pages have types of their own to check, so every tree needs a page. */
const page = { 'src/admin/channel/page/page.js': 'export {};\n' };

/** Runs `npm run check` on a small tree that holds the real configuration and `files`. */
function check(files: Record<string, string>) {
  const copy = mkdtempSync(join(tmpdir(), 'tidegate-gate-'));
  copies.push(copy);
  for (const name of ['package.json', 'tsconfig.json', 'config', 'src/base']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'test'));
  for (const [path, text] of Object.entries({ ...page, ...files })) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
  const run = spawnSync('npm', ['run', 'check'], { cwd: copy, encoding: 'utf8' });
  return { status: run.status, output: run.stdout + run.stderr };
}

it('passes on a tidy tree', () => {
  const result = check({ 'src/http/tidy.ts': 'export const tidy = 1;\n' });
  expect(result.output).toContain('no dependency violations found');
  expect(result.status).toBe(0);
});

describe('of imports', () => {
  let result: ReturnType<typeof check>;

  // in one tree: most of the time of a check is its start
  beforeAll(() => {
    result = check({
      'src/gateway/upstairs.ts': 'export const upstairs = 1;\n',
      'src/http/planted.ts':
        "import { upstairs } from '../gateway/upstairs.ts';\n\nexport const planted = upstairs;\n",
      'src/backend/store.ts': 'export const store = 1;\n',
      'src/cache/planted.ts':
        "import { store } from '../backend/store.ts';\n\nexport const planted = store;\n",
      'src/http/left.ts':
        "import type { Right } from './right.ts';\n\nexport type Left = { right?: Right };\n",
      'src/http/right.ts': "import type { Left } from './left.ts';\n\nexport type Right = { left?: Left };\n",
    });
  });

  it.each([
    ['that goes upwards', 'http-imports-downwards: src/http/planted.ts → src/gateway/upstairs.ts'],
    ['of backend by cache', 'cache-never-meets-backend: src/cache/planted.ts → src/backend/store.ts'],
    ['in a circle made of types alone', 'no-circles: src/http/'],
  ])('fails on one %s', (_, violation) => {
    expect(result.output).toContain(`error ${violation}`);
    expect(result.status).not.toBe(0);
  });
});

it('fails on a type error and on sloppy code', () => {
  expect(check({ 'src/http/wrong.ts': "export const wrong: number = 'text';\n" }).output).toContain('TS2322');
  expect(check({ 'src/http/any.ts': 'export const loose: any = 1;\n' }).output).toContain('noExplicitAny');
});
