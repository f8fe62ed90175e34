import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { refuseNoKey } from '../../../src/wiring/cache.ts';
import { explainEverywhere } from '../../../src/wiring/explain.ts';

const config = parseConfig(
  `backends: { main: { type: s3, endpoint: "http://x", keys: exact }, web: { type: http, endpoint: "http://w" } }
buckets:
  photos:
    backend: main
    bucket: photos-eu
    access: public
    anonymous: [{ actions: [GetObject], keys: ["public/**"] }]
    cache: { ttl: 60s }
    rules: [{ keys: ["a/**"], requestHeaders: { set: { x-token: not-to-be-shown } } }, { keys: ["none/**"], cache: { ttl: 1s } }, { keys: ["*/static/**"], cache: { ttl: 1d } }]
  site:
    backend: web
    access: public
    website: { index: index.html }
    languages: [de, en]
    rules: [{ keys: ["/static/*.html"], cache: { ttl: 1d, ttlByStatus: { 404: 10s }, ttlByType: { "text/*": 5s } } }, { keys: ["/fr/**"], languages: [fr] }]
clients:
  - { accessKeyId: READER, secretAccessKey: 0123456789abcdef0123, allow: [{ buckets: [photos], keys: ["**"], actions: [GetObject] }] }
  - { accessKeyId: WRITER, secretAccessKey: 0123456789abcdef0123, allow: [{ buckets: [photos], keys: ["**"], actions: [PutObject] }] }`,
  {},
);

const pool = { callAll: () => Promise.resolve([undefined]) } as unknown as Parameters<
  typeof explainEverywhere
>[1];
const explain = explainEverywhere({ current: config }, pool);

it('the rules that decide something of the key are named, with the settings that count', async () => {
  expect(await explain('photos', 'a/static/b')).toMatchObject({
    ...{
      records: [],
      rules: [
        { number: 1, sections: { requestHeaders: { set: ['x-token'], remove: [] } } },
        { number: 3, keys: ['*/static/**'], sections: { cache: { ttlMs: 86_400_000 } } },
      ],
      cache: { ttlMs: 86_400_000 },
    },
  });
  const plain = await explain('photos', 'a');
  expect(plain).toMatchObject({ cache: { ttlMs: 60_000 } });
  expect(plain).toHaveProperty('rules', []);
});

it('where an object is is told although nothing is held of it', async () => {
  expect(await explain('photos', 'a')).toMatchObject({
    ...{ bucket: 'photos', key: 'a', backend: 'main', bucketAtBackend: 'photos-eu', records: [] },
  });
  expect(await explain('site', '/a')).toMatchObject({ backend: 'web', bucketAtBackend: 'site' });
});

it('settings have the names of their keys, and languages those of the rule that has some', async () => {
  const cache = { ttlByStatusMs: { 404: 10_000 }, ttlByTypeMs: { 'text/*': 5_000 }, showKey: false };
  const page = await explain('site', '/static/a.html');
  expect(page).toMatchObject({ cache, rules: [{ sections: { cache } }], languages: ['de', 'en'] });
  expect(JSON.stringify(page)).not.toMatch(/namedTtls/);
  expect(await explain('site', '/fr/a')).toMatchObject({ languages: ['fr'] });
  expect(await explain('photos', 'a')).not.toHaveProperty('languages');
});

it.each(['/static/', '/static/?a=1', '/static/a.html?a=1', 'https://www.example.test/static/'])(
  'the rules of a page count for its path: %s',
  async key => {
    expect(await explain('site', key)).toMatchObject({
      rules: [{ number: 1 }],
      cache: { ttlMs: 86_400_000 },
    });
  },
);

it('what rules send to the store is not shown', async () => {
  expect(JSON.stringify(await explain('photos', 'a/static/b'))).not.toContain('not-to-be-shown');
});

it('who may read the object is named: everybody, or clients by their access keys, and no secret', async () => {
  expect(await explain('photos', 'public/a')).toMatchObject({ readableBy: ['*'] });
  expect(await explain('photos', 'a')).toMatchObject({ readableBy: ['READER'] });
  expect(JSON.stringify(await explain('photos', 'a'))).not.toContain('0123456789');
});

it('what is no path is refused at a web origin, where nothing has such a key', async () => {
  const isNoPath = { status: 400, code: 'NO_PATH' };
  await expect(explain('site', 'static/a.css')).rejects.toMatchObject(isNoPath);
  expect(await explain('site', '/static/a.css')).toMatchObject({ records: [] });
  for (const prefix of ['', '/static/', 'https://www.', 'http'])
    expect(() => refuseNoKey(config, { bucket: 'site', prefix })).not.toThrow();
  for (const named of [{ prefix: 'static/' }, { key: 'http' }])
    expect(() => refuseNoKey(config, { bucket: 'site', ...named })).toThrow(
      expect.objectContaining(isNoPath),
    );
  expect(() => refuseNoKey(config, { bucket: 'photos', key: 'a' })).not.toThrow();
});

it('a key is as long as the bucket has any: at a web origin as the head of a request', async () => {
  const isTooLong = expect.objectContaining({ status: 400, code: 'KEY_TOO_LONG' });
  const { headersBytes } = config.limits;
  for (const text of ['k'.repeat(1_025), 'é'.repeat(513)])
    for (const named of [{ key: text }, { prefix: text }])
      expect(() => refuseNoKey(config, { bucket: 'photos', ...named })).toThrow(isTooLong);
  expect(() => refuseNoKey(config, { bucket: 'photos', key: 'k'.repeat(1_024) })).not.toThrow();
  const page = '/'.padEnd(headersBytes, 'p');
  expect(() => refuseNoKey(config, { bucket: 'site', key: `${page}p` })).toThrow(isTooLong);
  expect(await explain('site', page)).toMatchObject({ records: [] });
  await expect(explain('photos', page)).rejects.toEqual(isTooLong);
});
