import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Beyond this length a file holds more than one idea. */
const LINES_LIMIT = 300;

const root = new URL('../../../', import.meta.url);
const sources = globSync('src/**/*.ts', { cwd: root });

it('no source file is longer than 300 lines', () => {
  expect(sources.length).toBeGreaterThan(200);
  const long = sources
    .map(path => ({ path, lines: readFileSync(new URL(path, root), 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > LINES_LIMIT);
  expect(long).toEqual([]);
});
