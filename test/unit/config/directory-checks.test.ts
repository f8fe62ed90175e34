import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/default-config.ts';
import { checkFile } from '../../../src/config/load-config.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidegate-directories-'));
  file = join(home, 'tidegate.yaml');
  mkdirSync(join(home, 'there'));
});
afterEach(() => rmSync(home, { recursive: true }));

function check(state: string, data: string) {
  writeFileSync(
    file,
    `{ state: { directory: "${join(home, state)}" }, backends: { own: { type: embedded, directory: "${join(home, data)}" } } }`,
  );
  return checkFile(file, {});
}

it.each(['tidegate.yaml', 'tidegate.yaml/below'])('refuses %s for a directory, with the key', name => {
  const expected = 'is a file, or below one; expected a directory, which is made where it is missing';
  expect(() => check(name, 'data')).toThrow(`\n  state.directory ${expected}`);
  expect(() => check('state', name)).toThrow(`\n  backends.own.directory ${expected}`);
  expect(() => defaultConfig({ TIDEGATE_DATA: join(home, name) })).toThrow(
    `\n  backends.demo.directory ${expected}`,
  );
});

it('takes what is a directory, or can become one', () => {
  expect(check('there', 'not/yet').config.state.directory).toBe(join(home, 'there'));
});
