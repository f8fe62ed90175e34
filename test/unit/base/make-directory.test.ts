import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDirectory } from '../../../src/base/make-directory.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tidegate-directory-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('makes what is missing, with the mode, and says whether anything was', () => {
  const path = join(base, 'a', 'b', 'c');
  expect(makeDirectory(path, 0o700)).toBe(true);
  expect([path, join(base, 'a', 'b'), join(base, 'a')].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
  expect(makeDirectory(path, 0o755)).toBe(false);
  expect(modeOf(path)).toBe(0o700);
});

it('takes a link to a directory for one', () => {
  symlinkSync(base, join(base, 'link'));
  expect(makeDirectory(join(base, 'link'))).toBe(false);
  expect(makeDirectory(join(base, 'link', 'a'))).toBe(true);
});

it('throws where a file is in the way', () => {
  const file = join(base, 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(file)).toThrow('EEXIST');
  expect(() => makeDirectory(join(file, 'a', 'b'))).toThrow('ENOTDIR');
  expect(() => makeDirectory(join(base, 'a'.repeat(300)))).toThrow(/ENAMETOOLONG.*mkdir/);
});

it('throws, and ends, where the file system has no room for directories', () => {
  expect(() => makeDirectory('/proc/tidegate/a')).toThrow(/mkdir '\/proc/);
});
