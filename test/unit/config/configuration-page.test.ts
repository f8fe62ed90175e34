import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { gatewaySchema } from '../../../src/config/gateway-schema.ts';
import { configurationPage } from '../../support/configuration-page/page.ts';
import { type ConfigurationRow, configurationRows } from '../../support/configuration-page/rows.ts';

const root = new URL('../../../', import.meta.url);
const schema = gatewaySchema({});
const rows = configurationRows(schema);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

it('docs/configuration.md is what npm run docs writes', () => {
  expect(read('docs/configuration.md')).toBe(configurationPage());
});

it('it tells of each key in words, and of defaults in the units of the file', () => {
  expect(rows.length).toBeGreaterThan(150);
  expect(rows.filter(({ takes }) => takes === '' || takes.startsWith('Invalid'))).toEqual([]);
  const row = (path: string) => rows.find(each => each.path === path);
  expect(row('shutdown.limit')).toMatchObject({ absent: { kind: 'value', value: '25s' } });
  expect(row('cache.memory.size')).toMatchObject({ absent: { kind: 'value', value: '512MiB' } });
  expect(row('backends.<name>.headerPrefix')).toMatchObject({
    takes: 'x-amz-, x-store-',
    absent: { kind: 'value', value: 'x-amz-' },
  });
});

const store = { type: 's3', endpoint: 'https://store.test', keys: 'exact' };
const bucket = { backend: 'keys', access: 'verify' };

/** The least that a file may have in each form of its maps. */
const least: Record<string, unknown> = {
  unix: { listen: { path: '/run/tidegate.sock' }, tracing: { endpoint: 'http://127.0.0.1:4318' } },
  proxied: { listen: { trustedProxies: ['10.0.0.0/8'] } },
  instance: { events: { queue: { url: 'https://queue.test/q', credentials: { from: 'instance' } } } },
  process: { events: { queue: { url: 'https://queue.test/q', credentials: { from: 'process' } } } },
  tls: { listen: { tls: { cert: 'c.pem', key: 'k.pem' }, clientCa: 'ca.pem' } },
  plain: {
    backends: {
      unsigned: store,
      keys: { ...store, credentials: { accessKeyId: 'A', secretAccessKey: 'S' } },
      instance: { ...store, credentials: { from: 'instance' } },
      process: { ...store, credentials: { from: 'process' } },
      files: { type: 'embedded', directory: 'd' },
      web: { type: 'http', endpoint: 'https://web.test' },
    },
    buckets: {
      plain: bucket,
      rules: {
        ...bucket,
        rules: [
          {
            keys: ['a/**'],
            cache: {},
            responseHeaders: {},
            requestHeaders: {},
            cors: { allowOrigins: ['*'] },
          },
        ],
      },
      anonymous: { ...bucket, access: 'public', anonymous: [{ actions: ['GetObject'] }] },
      website: { ...bucket, access: 'public', website: {} },
    },
    clients: [
      { accessKeyId: 'C', secretAccessKey: 'S', allow: [{ buckets: ['plain'], actions: ['GetObject'] }] },
    ],
    events: { queue: { url: 'https://queue.test/q' } },
    alerts: {
      webhooks: [{ url: 'https://hooks.example.test/' }],
      callbacks: {
        port: 1,
        url: 'https://a.test',
        token: { keys: 'https://keys.test/', subjects: { ada: 'Ada' } },
      },
    },
  },
};

/** The maps of `value` that may have the key of `row`, in its form; with `makesMaps`, those on the way to it are made. */
function placesOf(
  value: unknown,
  { path, forms }: ConfigurationRow,
  makesMaps: boolean,
): readonly Record<string, unknown>[] {
  const parents = path.split(/[.[]/).slice(0, -1);
  const inForm = (map: Record<string, unknown>) =>
    forms.every(form => {
      const [key = '', names = ''] = form.split(': ');
      return !(key in map) || names.split(', ').includes(String(map[key]));
    });
  const below = (found: readonly unknown[], step: string) =>
    found
      .filter(isMap)
      .filter(inForm)
      .flatMap(map => {
        if (step === '<name>' || step === ']') return Object.values(map);
        if (makesMaps) map[step] ??= {};
        return step in map ? [map[step]] : [];
      });
  return parents.reduce<readonly unknown[]>(below, [value]).filter(isMap).filter(inForm);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const lastKey = (path: string) => path.replace(/^.*\./, '');

/** A copy of `file` for each place that may have the key of `row`. */
function copiesOf(file: unknown, row: ConfigurationRow, makesMaps: boolean) {
  return placesOf(structuredClone(file), row, makesMaps).map((_, index) => {
    const copy = structuredClone(file);
    return { copy, place: placesOf(copy, row, makesMaps)[index] ?? {} };
  });
}

it('what it tells of keys that are left out is what holds', () => {
  const told = rows.filter(
    ({ path, absent }) => absent.kind === 'value' && !path.startsWith('alerts.rules.'),
  );
  const checked = new Set<string>();
  for (const file of Object.values(least)) {
    for (const row of told) {
      for (const { copy, place } of [false, true].flatMap(makesMaps => copiesOf(file, row, makesMaps))) {
        const without = schema.safeParse(copy);
        if (lastKey(row.path) in place || !without.success) continue;
        place[lastKey(row.path)] = parse(row.absent.kind === 'value' ? row.absent.value : '');
        const read = schema.safeParse(copy);
        if (!read.success) continue;
        expect(read.data, row.path).toEqual(without.data);
        checked.add(row.path);
      }
    }
  }
  expect(told.map(({ path }) => path).filter(path => !checked.has(path))).toEqual([]);
});

it('what it calls required is refused where it is missing', () => {
  for (const file of Object.values(least)) {
    expect(schema.safeParse(file).error).toBeUndefined();
    for (const row of rows.filter(({ absent }) => absent.kind === 'refused')) {
      for (const { copy, place } of copiesOf(file, row, false)) {
        if (!(lastKey(row.path) in place)) continue;
        delete place[lastKey(row.path)];
        expect(schema.safeParse(copy).success, row.path).toBe(false);
      }
    }
  }
  const required = new Set(
    rows.filter(({ absent }) => absent.kind === 'refused').map(({ path }) => lastKey(path)),
  );
  expect(required).toContain('endpoint');
  expect(required).not.toContain('token');
});

it('it has the keys of each source of credentials', () => {
  const region = rows.find(({ path }) => path === 'backends.<name>.credentials.region');
  expect(region?.forms).toEqual(['type: s3', 'from: default, profile, web-identity']);
  expect(rows.find(({ path }) => path === 'backends.<name>.type')?.takes).toBe('s3, http, embedded');
});

/** Paths of the values in a file, with names of the operator's own as the page has them. */
function pathsIn(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(item => pathsIn(item, path));
  if (typeof value !== 'object' || value === null) return [path];
  const isNamed = /^(?:backends|buckets|.*\.ttlBy(?:Status|Type)|.*\.(?:set|add))$/.test(path);
  return Object.entries(value).flatMap(([key, item]) =>
    pathsIn(item, path ? `${path}.${isNamed ? '<name>' : key}` : key),
  );
}

it('each key of config/example.yaml is in it', () => {
  const told = new Set(rows.map(({ path }) => path.replaceAll('[]', '')));
  const used = pathsIn(parse(read('config/example.yaml')));
  expect(used.length).toBeGreaterThan(40);
  expect(used.filter(path => !told.has(path))).toEqual([]);
});
