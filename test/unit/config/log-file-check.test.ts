import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { refuseUnwritableLog } from '../../../src/config/log-file-check.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidegate-log-file-'));
  mkdirSync(join(home, 'there'));
  writeFileSync(join(home, 'there/access.log'), '');
  symlinkSync('missing/below.log', join(home, 'to-nothing'));
  symlinkSync('to-itself', join(home, 'to-itself'));
  symlinkSync('to-nothing', join(home, 'to-that'));
});
afterEach(() => rmSync(home, { recursive: true }));

const configOf = (access: string) => parseConfig(`{ log: { access: ${access} } }`, {});
const check = (name: string) => refuseUnwritableLog(configOf(`{ file: "${join(home, name)}" }`), 'g.yaml');

it.each([
  ['missing/access.log', 'ENOENT'],
  ['there/access.log/below', 'ENOTDIR'],
  ['there', 'EISDIR'],
  ['new/', 'EISDIR'],
  ['to-nothing', 'ENOENT'],
  ['to-that', 'ENOENT'],
  ['to-itself', 'ELOOP'],
])('refuses %s for the access log, with the key', (name, code) => {
  const expected = `which cannot be written (${code}); expected a file in a directory that is there`;
  expect(() => check(name)).toThrow(`\n  log.access.file holds "${join(home, name)}", ${expected}`);
});

it('takes what is a file, or can become one, and creates nothing', () => {
  expect(() => check('there/access.log')).not.toThrow();
  expect(() => check('there/new.log')).not.toThrow();
  symlinkSync('there/new.log', join(home, 'to-new'));
  expect(() => check('to-new')).not.toThrow();
  // the directory of a link is a link itself
  mkdirSync(join(home, 'deep/er'), { recursive: true });
  symlinkSync('../../there/new.log', join(home, 'deep/er/to-new'));
  symlinkSync('deep/er', join(home, 'short'));
  expect(() => check('short/to-new')).not.toThrow();
  expect(readdirSync(join(home, 'there'))).toEqual(['access.log']);
});

it('has nothing to say of standard output', () => {
  for (const access of ['true', 'false', '{ sample: 0.5 }'])
    expect(() => refuseUnwritableLog(configOf(access), 'g.yaml')).not.toThrow();
});
