import { expect, it } from 'vitest';
import { type CheckedConfig, crossCheck } from '../../../src/config/cross-checks.ts';

const fine: CheckedConfig = {
  listen: [{ kind: 'tcp', host: '127.0.0.1', port: 8080 }],
  admin: { host: '127.0.0.1', port: 9090 },
  backends: { main: { type: 's3' }, demo: { type: 'embedded', directory: './data' } },
  buckets: { photos: { backend: 'main' } },
  clients: [{ accessKeyId: 'A', allow: [{ buckets: ['photos'] }] }],
  events: {},
  limits: { headersBytes: 32_768, urlBytes: 8_192 },
  alerts: { webhooks: [] },
};

const found = (changes: Partial<CheckedConfig>) =>
  crossCheck({ ...fine, ...changes }).map(({ path, allowed }) => `${path.join('.')}: ${allowed}`);

it('finds nothing where everything fits', () => {
  expect(found({})).toEqual([]);
});

it('asks for a token as soon as others can reach the admin port', () => {
  const admin = { host: '0.0.0.0', port: 9090 };
  expect(found({ admin })[0]).toMatch(/^admin\.token: a bearer token/);
  expect(found({ admin: { ...admin, token: 'x' } })).toEqual([]);
});

it('refuses URLs that are as long as request line and headers together may be', () => {
  expect(found({ limits: { headersBytes: 8_192, urlBytes: 8_192 } })).toEqual([
    'limits.url: less than limits.headers, which is 8KiB',
  ]);
});

it('refuses two listeners on one port, also when one of them takes every address', () => {
  expect(found({ admin: { host: '127.0.0.1', port: 8080 } })).toEqual([
    'admin.port: a port other than 8080, which listen uses',
  ]);
  expect(found({ listen: [{ kind: 'tcp', host: '0.0.0.0', port: 9090 }] })).toHaveLength(1);
  expect(found({ alerts: { webhooks: [], callbacks: { host: '127.0.0.1', port: 9090 } } })).toEqual([
    'alerts.callbacks.port: a port other than 9090, which admin uses',
  ]);
  expect(
    found({ listen: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }], admin: { host: '127.0.0.1', port: 0 } }),
  ).toEqual([]);
});

it('refuses a bucket whose backend is unknown, naming the known ones', () => {
  expect(found({ buckets: { photos: { backend: 'mian' } } })).toEqual(['buckets.photos.backend: main, demo']);
});

it('refuses one directory under two embedded stores', () => {
  const store = { type: 'embedded', directory: './data' };
  expect(found({ backends: { main: store, b: store } })).toEqual([
    'backends.b.directory: a directory that backends.main does not use',
  ]);
});

it('refuses a name at the backend for the wildcard', () => {
  expect(
    found({ buckets: { photos: { backend: 'main' }, '*': { backend: 'main', bucket: 'x' } } })[0],
  ).toMatch(/^buckets\.\*\.bucket: nothing/);
});

it('refuses clients with one id, and grants for buckets that do not exist', () => {
  const client = { accessKeyId: 'A', allow: [] };
  expect(found({ clients: [client, client] })).toHaveLength(1);
  const wrong = [{ accessKeyId: 'A', allow: [{ buckets: ['photo'] }] }];
  expect(found({ clients: wrong })).toEqual(['clients.0.allow.0.buckets.0: photos, *']);
  const buckets = { photos: { backend: 'main', bucket: 'photos-production' }, '*': { backend: 'main' } };
  const granted = (name: string) =>
    found({ clients: [{ accessKeyId: 'A', allow: [{ buckets: [name] }] }], buckets });
  expect(['others', 'photos', '*'].flatMap(granted)).toEqual([]);
  for (const name of ['photos-production', 'Others', 'constructor.']) {
    expect(granted(name)).toEqual([
      expect.stringMatching(/^clients\.0\.allow\.0\.buckets\.0: photos, \*, or a name that "\*" stands for/),
    ]);
  }
});

it('refuses a webhook twice, and a workflow that would be sent what it does not show', () => {
  const webhook = { url: 'https://chat.test/a', service: 'connector', card: 'connector' };
  expect(found({ alerts: { webhooks: [webhook, { ...webhook, card: 'text' }] } })).toEqual([
    'alerts.webhooks.1.url: a URL that no webhook before it has',
  ]);
  expect(found({ alerts: { webhooks: [{ ...webhook, service: 'workflows' }] } })).toEqual([
    'alerts.webhooks.0.card: adaptive, for a workflow',
  ]);
});

it.each([
  ['http://127.0.0.1:9000', false],
  ['http://[::1]:9000', false],
  ['https://s3.eu-west-1.amazonaws.com', true],
])('an access point behind %s has a host: %s', (endpoint, expected) => {
  const bucket = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/reports';
  const problems = found({
    backends: { main: { type: 's3', endpoint } },
    buckets: { photos: { backend: 'main', bucket } },
  });
  expect(problems.length === 0).toBe(expected);
  if (!expected)
    expect(problems[0]).toMatch(/^buckets\.photos\.bucket: the name of a bucket, since backends\.main/);
});

it.each([
  ['Photos', {}, 'buckets.Photos'],
  ['my_photos', {}, 'buckets.my_photos'],
  ['photos', { bucket: 'Photos' }, 'buckets.photos.bucket'],
  ['photos', { bucket: 'a..b' }, 'buckets.photos.bucket'],
  ['photos', { bucket: 'a'.repeat(64) }, 'buckets.photos.bucket'],
])('refuses a name that makes no host where addressing is virtual: %s %j', (name, bucket, path) => {
  const buckets = { [name]: { backend: 'main', ...bucket } };
  const backends = { main: { type: 's3', endpoint: 'https://store.test', addressing: 'virtual' } };
  const clients: CheckedConfig['clients'] = [];
  expect(found({ backends, buckets, clients })).toEqual([
    expect.stringMatching(`^${path}: a name that can be part of a host name, as addressing: virtual`),
  ]);
  expect(found({ backends: { main: { ...backends.main, addressing: 'path' } }, buckets, clients })).toEqual(
    [],
  );
});

it.each([
  [{}, 'SECRETB', 'buckets.SECRETB'],
  [{ bucket: 'Photos' }, 'photos', 'buckets.photos.bucket'],
  [{ fallbackBucket: 'SECRETB' }, 'photos', 'buckets.photos.fallbackBucket'],
])('refuses names that make no host at the fallback: %j of %s', (names, name, path) => {
  const main = { type: 's3', endpoint: 'https://main.test', fallback: 'two' };
  const two = { type: 's3', endpoint: 'https://two.test', addressing: 'virtual' };
  const buckets = { [name]: { backend: 'main', ...names } };
  expect(found({ backends: { main, two }, buckets, clients: [] })).toEqual([
    expect.stringMatching(
      `^${path}: a name that can be part of a host name, as addressing: virtual of backends.two has it`,
    ),
  ]);
});

it('refuses an access point where the fallback has no host name to make its own of', () => {
  const main = { type: 's3', endpoint: 'https://main.test', fallback: 'two' };
  const two = { type: 's3', endpoint: 'http://127.0.0.1:9000' };
  const bucket = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/reports';
  const reports = { backend: 'main', bucket };
  expect(found({ backends: { main, two }, buckets: { reports }, clients: [] })).toEqual([
    expect.stringMatching(
      /^buckets\.reports\.bucket: the name of a bucket, since backends\.two has no host name/,
    ),
  ]);
  const named = { reports: { ...reports, fallbackBucket: 'reports' } };
  expect(found({ backends: { main, two }, buckets: named, clients: [] })).toEqual([]);
});

it('other names, access points and "*" are fine where addressing is virtual', () => {
  const bucket = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/reports';
  const backends = { main: { type: 's3', endpoint: 'https://store.test', addressing: 'virtual' } };
  const buckets = {
    ...{ photos: { backend: 'main' }, 'a.b': { backend: 'main' }, '*': { backend: 'main' } },
    ...{ Reports: { backend: 'main', bucket } },
  };
  expect(found({ backends, buckets, clients: [] })).toEqual([]);
});

it.each(['../tenantB/', 'a//', './'])(
  'refuses the prefix %s where the store takes keys for paths',
  keyPrefix => {
    const buckets = { photos: { backend: 'main', keyPrefix } };
    expect(found({ backends: { main: { type: 's3', keys: 'path' } }, buckets })).toEqual([
      expect.stringMatching(/^buckets\.photos\.keyPrefix: a plain path, since backends\.main\.keys is path/),
    ]);
    expect(found({ backends: { main: { type: 's3', keys: 'exact' } }, buckets })).toEqual([]);
  },
);

it.each([
  [{ main: { type: 's3', fallback: 'replica' } }, 'backends.main.fallback: the name of another backend'],
  [{ main: { type: 's3', fallback: 'main' } }, 'backends.main.fallback: the name of another backend'],
  [
    { main: { type: 's3', keys: 'exact' as const, fallback: 'other' }, other: { type: 's3' } },
    'backends.main.fallback: a backend whose keys are exact as well',
  ],
  [
    {
      main: { type: 's3', keys: 'exact' as const, fallback: 'other' },
      other: { type: 's3', keys: 'path' as const },
    },
    'backends.main.fallback: a backend whose keys are exact as well',
  ],
])('a fallback has to be another backend that takes the same keys for one: %j', (backends, expected) => {
  expect(found({ backends })).toEqual([expected]);
});

it('a bucket has a name at the fallback where its backend has one', () => {
  const photos = { backend: 'main', fallbackBucket: 'photos-replica' };
  expect(found({ buckets: { photos } })).toEqual([
    'buckets.photos.fallbackBucket: nothing, since its backend has no fallback',
  ]);
  const backends = { main: { type: 's3', fallback: 'two' }, two: { type: 's3' } };
  expect(found({ backends, buckets: { photos } })).toEqual([]);
  expect(found({ backends, buckets: { '*': photos }, clients: [] })).toEqual([
    'buckets.*.fallbackBucket: nothing, since "*" stands for every other name as it is',
  ]);
});
