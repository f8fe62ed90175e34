import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { gatewaySchema } from '../../../src/config/gateway-schema.ts';
import { configurationPage } from '../../support/configuration-page/page.ts';
import { configurationRows } from '../../support/configuration-page/rows.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

it('docs/configuration.md is what npm run docs writes', () => {
  expect(read('docs/configuration.md')).toBe(configurationPage());
});

it('it tells of each key in words, and of defaults in the units of the file', () => {
  const rows = configurationRows(gatewaySchema({}));
  expect(rows.length).toBeGreaterThan(150);
  expect(rows.filter(({ takes }) => takes === '' || takes.startsWith('Invalid'))).toEqual([]);
  const row = (path: string) => rows.find(each => each.path === path);
  expect(row('shutdown.limit')).toMatchObject({ fallback: '25s' });
  expect(row('cache.memory.size')).toMatchObject({ fallback: '512MiB' });
  expect(row('backends.<name>.headerPrefix')).toMatchObject({
    takes: 'x-amz-, x-store-',
    fallback: 'x-amz-',
  });
});

/** Paths of the values in a file, with names of the operator's own as the page has them. */
function pathsIn(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(item => pathsIn(item, path));
  if (typeof value !== 'object' || value === null) return [path];
  const isNamed = /^(?:backends|buckets)$/.test(path);
  return Object.entries(value).flatMap(([key, item]) =>
    pathsIn(item, path ? `${path}.${isNamed ? '<name>' : key}` : key),
  );
}

it('each key of config/example.yaml is in it', () => {
  const told = new Set(configurationRows(gatewaySchema({})).map(({ path }) => path.replaceAll('[]', '')));
  const used = pathsIn(parse(read('config/example.yaml')));
  expect(used.length).toBeGreaterThan(40);
  expect(used.filter(path => !told.has(path))).toEqual([]);
});
