import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CachePolicy } from '../../../src/gateway/request/cache-policy.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { defaultPolicy } from '../../support/worker-gateway.ts';

let store: StandInStore;
let origin: ScriptedOrigin;
let gateway: TestGateway;
let clock: ManualClock;
let head: Record<string, string>;
let status: number;

beforeEach(async () => {
  clock = new ManualClock();
  head = { etag: '"1"', 'cache-control': 'max-age=3600' };
  status = 200;
  store = await StandInStore.start();
  origin = await ScriptedOrigin.start((_, response) => {
    response.writeHead(status, head);
    response.end('body');
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
  await origin.close();
});

/** `b` is at a store, `web` at a web origin; the rule is for what is below `special` in both. */
async function start(rule: Partial<CachePolicy>, policy: Partial<CachePolicy> = {}): Promise<void> {
  const cache = { ...defaultPolicy, ...policy, ...rule };
  gateway = await TestGateway.start({
    ...{ storeUrl: store.url, web: { url: origin.url }, clock, policy },
    keyRules: [{ keys: ['special/**', '/special/**'], cache }],
  });
  for (const key of ['special/a', 'plain/a'])
    store.put('b', key, 'held', { headers: { 'content-type': 'text/html' } });
}

const cached = async (path: string, headers: Record<string, string> = {}) =>
  (await gateway.get(path, headers)).headers['x-cache'];

describe.each([
  ['a store', '/b', () => store.log.requests.map(({ method }) => method)],
  ['a web origin', '/web', () => origin.asked.map(({ method }) => method)],
])('rules at %s', (_, root, asked) => {
  it('bypass: nothing is stored, and nothing that was stored is used', async () => {
    await start({ mode: 'bypass' });
    const answers = [await gateway.get(`${root}/special/a`), await gateway.get(`${root}/special/a`)];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        ...{ 'x-cache': 'BYPASS', 'cache-status': 'tidegate; fwd=bypass; detail=rule' },
      });
    }
    expect(asked()).toEqual(['GET', 'GET']);
    expect([await cached(`${root}/plain/a`), await cached(`${root}/plain/a`)]).toEqual(['MISS', 'HIT']);
    const slash = root === '/web' ? '/' : '';
    const held = ['special/a', 'plain/a'].map(
      key => gateway.gateways[0]?.describe(root.slice(1), slash + key)?.records.length,
    );
    expect(held).toEqual([undefined, 1]);
  });

  it('bypass: a client that wants only what is held gets 504', async () => {
    await start({ mode: 'bypass', clientDirectives: 'honour' });
    const only = await gateway.get(`${root}/special/a`, { 'cache-control': 'only-if-cached' });
    expect(only.status).toBe(504);
    expect(asked()).toEqual([]);
  });

  it('revalidate: each use is confirmed, and costs no bytes', async () => {
    await start({ mode: 'revalidate', staleWhileRevalidateMs: 60_000 });
    expect(await cached(`${root}/special/a`)).toBe('MISS');
    status = 304;
    expect(await cached(`${root}/special/a`)).toBe('REVALIDATED');
    expect(await cached(`${root}/special/a`)).toBe('REVALIDATED');
    expect(asked()).toHaveLength(3);
  });

  it('maxObjectSize: longer objects are passed on and not kept', async () => {
    await start({ maxObjectSizeBytes: 3 });
    await gateway.get(`${root}/special/a`);
    expect(await cached(`${root}/special/a`)).not.toBe('HIT');
    await gateway.get(`${root}/plain/a`);
    expect(await cached(`${root}/plain/a`)).toBe('HIT');
  });

  it('ttlByType: the content type decides for how long what states nothing is fresh', async () => {
    head = { etag: '"1"', 'content-type': 'text/html; charset=utf-8' };
    await start({ ttlMs: 60_000, namedTtls: [{ type: 'text/*', ttlMs: 10_000 }] }, { ttlMs: 60_000 });
    for (const key of ['special/a', 'plain/a']) await gateway.get(`${root}/${key}`);
    clock.advance(9_999);
    expect(await cached(`${root}/special/a`)).toBe('HIT');
    clock.advance(1);
    expect(await cached(`${root}/special/a`)).not.toBe('HIT');
    expect(await cached(`${root}/plain/a`)).toBe('HIT');
  });

  it('ttlByStatus: so does the status, of a missing object too', async () => {
    [head, status] = [{}, 404];
    await start({ namedTtls: [{ status: 404, ttlMs: 30_000 }] }, { ttlMs: 0, negativeTtlMs: 0 });
    const missing = `${root}/special/missing`;
    expect((await gateway.get(missing)).status).toBe(404);
    clock.advance(29_999);
    await gateway.get(missing);
    expect(asked()).toHaveLength(1);
    clock.advance(1);
    await gateway.get(missing);
    expect(asked()).toHaveLength(2);
  });
});

describe('rules at a web origin', () => {
  it('ttlByStatus: a redirect that states nothing is stored, unless it may not be', async () => {
    [head, status] = [{ location: '/web/b' }, 302];
    await start({ namedTtls: [{ status: 302, ttlMs: 30_000 }] });
    await gateway.get('/web/special/a');
    expect((await gateway.get('/web/special/a')).headers).toMatchObject({
      'x-cache': 'HIT',
      location: '/web/b',
    });
    await gateway.get('/web/plain/a');
    expect(await cached('/web/plain/a')).toBe('MISS');
    head = { 'cache-control': 'no-store', location: '/web/b' };
    await gateway.get('/web/special/b');
    expect(await cached('/web/special/b')).toBe('MISS');
  });

  it.each(['/web/%73pecial/a', '/web//special/a', '/web/x/../special/a', '/web/x/%2e%2e/special/a'])(
    'a path that many origins take for another one has the rules of that: %s',
    async path => {
      await start({ mode: 'bypass' });
      expect(await cached(path)).toBe('BYPASS');
    },
  );
});
