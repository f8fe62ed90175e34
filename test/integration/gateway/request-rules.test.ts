import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RequestChanges } from '../../../src/gateway/request/request-rules.ts';
import { posted } from '../../support/posted-form.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

const mebibyte = 2 ** 20;

let store: StandInStore;
let origin: ScriptedOrigin;
let gateway: TestGateway;
let head: Record<string, string>;

beforeEach(async () => {
  store = await StandInStore.start();
  head = { 'cache-control': 'max-age=60', etag: '"1"' };
  origin = await ScriptedOrigin.start(({ headers }, response) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const body = Buffer.alloc(3 * mebibyte, 'x');
    const isPart = first !== undefined && last !== undefined;
    const part = isPart ? body.subarray(Number(first), Number(last) + 1) : body;
    const range = isPart ? { 'content-range': `bytes ${first}-${last}/${body.length}` } : {};
    response.writeHead(isPart ? 206 : 200, { ...head, ...range, 'content-length': String(part.length) });
    response.end(part);
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
  await origin.close();
});

async function start(changes: RequestChanges, options: Partial<TestGatewayOptions> = {}): Promise<void> {
  const keyRules = [{ keys: ['**', '!plain', '!/plain'], requestHeaders: changes }];
  gateway = await TestGateway.start({ storeUrl: store.url, web: { url: origin.url }, keyRules, ...options });
  for (const key of ['k', 'plain']) store.put('b', key, Buffer.alloc(3 * mebibyte, 'x'));
}

const token = { set: { 'x-origin-token': 'shared' }, remove: [] };

describe.each([
  ['a store', '/b', () => store.log.requests],
  ['a web origin', '/web', () => origin.asked],
])('%s is told', (_, root, asked) => {
  const tokens = () => asked().map(({ headers }) => headers['x-origin-token']);

  it('what a rule says, whatever the client does, with each request for more of a content too', async () => {
    await start(token);
    await gateway.get(`${root}/k`, { range: 'bytes=0-10', 'x-origin-token': 'forged' });
    await gateway.get(`${root}/k`, { range: `bytes=${2 * mebibyte}-${2 * mebibyte + 10}` });
    await gateway.head(`${root}/other`);
    await gateway.send('PUT', `${root}/k`, { 'content-length': '0', 'x-origin-token': 'forged' });
    await gateway.send('DELETE', `${root}/k`);
    expect(tokens().length).toBeGreaterThanOrEqual(5);
    expect(new Set(tokens())).toEqual(new Set(['shared']));
  });

  it('nothing of it where no rule covers the key', async () => {
    await start(token);
    await gateway.get(`${root}/plain`);
    expect(tokens()).toEqual([undefined]);
  });
});

it('a store is told it with forms, preflights and the listings of a warming, too', async () => {
  await start(token);
  const { headers, body } = posted({ fields: { key: 'k' }, file: 'file' });
  await fetch(`${gateway.url(0)}/b`, { method: 'POST', headers, body });
  await gateway.send('OPTIONS', '/b/k', {
    ...{ origin: 'https://a.test', 'access-control-request-method': 'GET' },
  });
  await gateway.gateways[0]?.keysBelow({ bucket: 'b', prefix: '', after: undefined }).catch(() => undefined);
  const told = store.log.requests.map(({ method, headers }) => [method, headers['x-origin-token']]);
  expect(told).toEqual(['PUT', 'OPTIONS', 'GET'].map(method => [method, 'shared']));
});

it('a store whose buckets have no name in the configuration is told it with the list of these', async () => {
  await start(token, { hasOthers: true });
  await gateway.get('/');
  const told = store.log.requests.map(({ url, headers }) => [url, headers['x-origin-token']]);
  expect(told).toEqual([['/', 'shared']]);
});

it('keys have the prefix of their bucket at the store alone', async () => {
  const keyRules = [{ keys: ['k'], requestHeaders: token }];
  gateway = await TestGateway.start({ storeUrl: store.url, keyRules, buckets: { b: { keyPrefix: 'eu/' } } });
  store.put('b', 'eu/k', 'held');
  expect((await gateway.get('/b/k')).status).toBe(200);
  expect(store.log.requests.map(({ headers }) => headers['x-origin-token'])).toEqual(['shared']);
});

describe('a web origin', () => {
  it('that varies by what a rule gives or takes has one answer for all clients', async () => {
    head = { ...head, vary: 'X-Origin-Token, Accept-Language, Cookie' };
    await start({ ...token, remove: ['accept-language', 'cookie'] });
    await gateway.get('/web/k', { 'accept-language': 'de', cookie: 'id=1', 'x-origin-token': 'a' });
    const again = await gateway.get('/web/k', { 'accept-language': 'en' });
    expect(again.headers['x-cache']).toBe('HIT');
    expect(origin.lastAsked?.headers).not.toHaveProperty('accept-language');
    expect(origin.lastAsked?.headers).not.toHaveProperty('cookie');
  });

  it.each([
    ['taken away', { set: {}, remove: ['authorization'] }, undefined],
    ['the same of all', { set: { authorization: 'Bearer shared' }, remove: [] }, 'Bearer shared'],
  ])('keeps answers for all where credentials are %s', async (_, changes, sent) => {
    head = { 'cache-control': 'max-age=60', etag: '"1"' };
    await start(changes);
    const asked = { authorization: 'Bearer own' };
    expect((await gateway.get('/web/k', asked)).headers['cache-status']).toContain('stored');
    expect((await gateway.get('/web/k')).headers['x-cache']).toBe('HIT');
    expect(origin.asked.map(({ headers }) => headers.authorization)).toEqual([sent]);
    await gateway.get('/web/plain', asked);
    expect((await gateway.get('/web/plain', asked)).headers['x-cache']).toBe('MISS');
  });

  it('gets the rest of a content with what a rule says', async () => {
    head = { ...head, vary: 'Accept-Language' };
    await start(
      { set: { 'accept-language': 'de', authorization: 'Bearer shared' }, remove: [] },
      { policy: {} },
    );
    await gateway.get('/web/k', { range: 'bytes=0-10' });
    await gateway.get('/web/k', {
      range: `bytes=${2 * mebibyte}-${2 * mebibyte + 10}`,
      'accept-language': 'en',
    });
    expect(origin.asked).toHaveLength(2);
    for (const { headers } of origin.asked)
      expect(headers).toMatchObject({ 'accept-language': 'de', authorization: 'Bearer shared' });
  });
});
