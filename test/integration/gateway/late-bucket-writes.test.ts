import { afterEach, beforeEach, expect, it } from 'vitest';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

/** What the store does with the next write to a bucket. */
let fate: 'breaks off' | 'answers 500' | 'refuses';
/** What the rules of the bucket say now. */
let allowed: string;
let store: RawStore;
let gateway: TestGateway;

const refusals = { 'answers 500': '500 Internal Server Error', refuses: '403 Forbidden' };

beforeEach(async () => {
  allowed = 'https://old.test';
  store = await RawStore.start((socket, request) => {
    const isRead = /^(?:GET|HEAD) /.test(request);
    const body = request.startsWith('GET') ? 'hello' : '';
    const rule = `access-control-allow-origin: ${allowed}\r\n`;
    if (isRead) socket.write(`HTTP/1.1 200 OK\r\n${rule}etag: "e"\r\ncontent-length: 5\r\n\r\n${body}`);
    else if (fate === 'breaks off') socket.destroy();
    else socket.write(`HTTP/1.1 ${refusals[fate]}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  });
  gateway = await TestGateway.start({
    ...{ storeUrl: store.url, workers: 2, buckets: { b: {}, other: {} } },
    store: { timeouts: { connectMs: 2_000, firstByteMs: 2_000, idleMs: 2_000 } },
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** What both workers say of an object, and how they came to know it. */
async function read(path: string, name: 'x-cache' | 'access-control-allow-origin') {
  const said = [];
  for (const worker of [0, 1]) {
    const answer = await gateway.get(path, { origin: 'https://page.test' }, worker);
    expect(answer.body.toString()).toBe('hello');
    said.push(answer.headers[name]);
  }
  return said;
}

const writes = [
  ['PUT', '/b?cors'],
  ['PUT', '/b?policy'],
  ['PUT', '/b?versioning'],
  ['DELETE', '/b?policy'],
  ['DELETE', '/b'],
] as const;

it.each(
  writes.flatMap(write => (['breaks off', 'answers 500'] as const).map(what => [...write, what] as const)),
)(
  'law 5: %s %s that %s may be carried out later, and is seen then by all workers',
  async (method, path, what) => {
    for (const key of ['/b/k', '/other/k']) {
      await read(key, 'x-cache');
      expect(await read(key, 'x-cache')).toEqual(['HIT', 'HIT']);
    }
    fate = what;
    const write = await rawRequest(gateway.url(), { method, path, body: '<a/>' });
    expect(write.status).toBe(what === 'answers 500' ? 500 : 503);
    for (const _ of [1, 2]) expect(await read('/b/k', 'x-cache')).not.toContain('HIT');
    expect(await read('/other/k', 'x-cache')).toEqual(['HIT', 'HIT']);
    allowed = 'https://new.test';
    const seen = await read('/b/k', 'access-control-allow-origin');
    expect(seen).toEqual(['https://new.test', 'https://new.test']);
  },
);

it('law 5: what is refused is not carried out later', async () => {
  await read('/b/k', 'x-cache');
  fate = 'refuses';
  const write = await rawRequest(gateway.url(), { method: 'PUT', path: '/b?cors', body: '<a/>' });
  expect(write.status).toBe(403);
  expect(await read('/b/k', 'x-cache')).toEqual(['HIT', 'HIT']);
});
