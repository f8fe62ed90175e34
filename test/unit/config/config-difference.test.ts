import { expect, it } from 'vitest';
import { configDifferences } from '../../../src/config/config-difference.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const yaml = (changes: string) => `
backends: { main: { type: s3, endpoint: "http://127.0.0.1:1", credentials: none, keys: exact } }
${changes}`;

const differences = (before: string, after: string) =>
  configDifferences(parseConfig(yaml(before), {}), parseConfig(yaml(after), {})).map(
    ({ path, change }) => `${change} ${path}`,
  );

it.each([
  ['workers: 1', 'workers: 2', ['changed workers']],
  ['workers: 1', '', []],
  ['limits: { url: 8KiB }', 'limits: { url: 4KiB }', ['changed limits.url']],
  ['', 'shutdown: { delay: 5s }', ['changed shutdown.delay']],
  ['', 'buckets: { photos: { backend: main, access: verify } }', ['added buckets.photos']],
  ['buckets: { photos: { backend: main, access: verify } }', '', ['removed buckets.photos']],
  [
    'buckets: { "a.b": { backend: main, access: verify } }',
    'buckets: { "a.b": { backend: main, access: verify, cache: { blockSize: 2MiB, ttl: 5s } } }',
    ['changed buckets."a.b".cache.ttl', 'changed buckets."a.b".cache.blockSize'],
  ],
  [
    'buckets: { a: { backend: main, access: verify, cache: { ttlByStatus: { 404: 1s } } } }',
    'buckets: { a: { backend: main, access: verify, cache: { ttlByStatus: { 404: 2s }, ttlByType: { "text/*": 1s }, showKey: true } } }',
    [
      'changed buckets.a.cache.showKey',
      'changed buckets.a.cache.ttlByStatus.404',
      'added buckets.a.cache.ttlByType',
    ],
  ],
  [
    'clients: [{ accessKeyId: a, secretAccessKey: before, allow: [] }]',
    'clients: [{ accessKeyId: a, secretAccessKey: after, allow: [] }]',
    ['changed clients'],
  ],
  ['', 'domain: s3.example.test', ['added domain']],
])('between %j and %j: %j', (before, after, expected) => {
  expect(differences(before, after)).toEqual(expected);
});

it.each(['constructor', 'toString', 'hasOwnProperty'])(
  'finds a bucket of the name %s added and removed',
  name => {
    const bucket = `buckets: { ${name}: { backend: main, access: verify } }`;
    expect(differences('', bucket)).toEqual([`added buckets.${name}`]);
    expect(differences(bucket, '')).toEqual([`removed buckets.${name}`]);
  },
);

it('keeps the names that people chose as they are', () => {
  const backend = { type: 's3' };
  expect(configDifferences({ backends: {} }, { backends: { mainMs: backend } })).toEqual([
    { path: 'backends.mainMs', change: 'added' },
  ]);
});

it('a setting that is undefined is absent', () => {
  expect(configDifferences({ a: undefined, b: 1 }, { b: 1 })).toEqual([]);
});
