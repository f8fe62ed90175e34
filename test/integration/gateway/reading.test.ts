import { once } from 'node:events';
import { get } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyOf, holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it('answers a small object from one request to the store, and again from none', async () => {
  store.put('b', 'hello.txt', 'Hello, tide!', {
    headers: { 'content-type': 'text/plain', 'x-amz-meta-mood': 'calm' },
  });
  const miss = await gateway.get('/b/hello.txt');
  expect(miss.status).toBe(200);
  expect(miss.body.toString()).toBe('Hello, tide!');
  expect(miss.headers).toMatchObject({
    'x-cache': 'MISS',
    'content-length': '12',
    'content-type': 'text/plain',
    'x-amz-meta-mood': 'calm',
  });
  const hit = await gateway.get('/b/hello.txt');
  expect(hit.body.toString()).toBe('Hello, tide!');
  expect(hit.headers).toMatchObject({ 'x-cache': 'HIT', 'accept-ranges': 'bytes', age: '0' });
  expect(hit.headers['cache-status']).toMatch(/^tidegate; hit; ttl=(59|60)$/);
  expect(hit.headers['x-amz-request-id']).not.toBe(miss.headers['x-amz-request-id']);
  expect(store.log.requests).toHaveLength(1);
});

it('reads a large object whole, and each range of it, from one copy of its bytes', async () => {
  const content = patternContent(37 * mebibyte + 12_345);
  store.put('b', 'large.bin', content);
  const whole = await gateway.get('/b/large.bin');
  expect(whole.body.equals(copyOf(content))).toBe(true);
  for (const [first, last] of [
    [0, 0],
    [1_000_000, 1_100_000],
    [mebibyte - 1, mebibyte],
    [37 * mebibyte, 37 * mebibyte + 12_344],
  ] as const) {
    const part = await gateway.get('/b/large.bin', { range: `bytes=${first}-${last}` });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes ${first}-${last}/${content.sizeBytes}`);
    expect(part.headers['x-cache']).toBe('HIT');
    expect(part.body.equals(copyOf(content, first, last - first + 1))).toBe(true);
  }
  expect(store.log.bodyBytes).toBe(content.sizeBytes);
});

it('fetches the block that a few bytes are in and nothing else', async () => {
  store.put('b', 'cold.bin', patternContent(128 * mebibyte));
  const part = await gateway.get('/b/cold.bin', { range: 'bytes=70000000-70000099' });
  expect(part.status).toBe(206);
  expect(part.body.equals(copyOf(patternContent(128 * mebibyte), 70_000_000, 100))).toBe(true);
  expect(store.log.requests.map(note => note.method)).toEqual(['GET']);
  expect(store.log.bodyBytes).toBeLessThanOrEqual(mebibyte);
});

it('answers an empty object', async () => {
  store.put('b', 'empty.bin', '');
  for (const _ of ['miss', 'hit']) {
    const answer = await gateway.get('/b/empty.bin');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-length']).toBe('0');
  }
  expect(store.log.requests).toHaveLength(2);
});

it('tells the truth about a missing key, and remembers it', async () => {
  const miss = await gateway.get('/b/none.txt');
  expect(miss.status).toBe(404);
  expect(miss.body.toString()).toContain('<Code>NoSuchKey</Code>');
  const hit = await gateway.get('/b/none.txt');
  expect(hit.status).toBe(404);
  expect(hit.headers['x-cache']).toBe('HIT');
  expect(hit.body.toString()).toContain(`<RequestId>${hit.headers['x-amz-request-id']}</RequestId>`);
  expect(store.log.requests).toHaveLength(1);
});

it('fifty readers of a cold object cost one copy of it', async () => {
  const content = patternContent(32 * mebibyte);
  store.put('b', 'shared.bin', content);
  // looked at as they come: fifty copies in memory take seconds to make
  const read = async () => {
    const [answer] = await once(get(`${gateway.url()}/b/shared.bin`, { agent: false }), 'response');
    let [sizeBytes, isSame] = [0, true];
    answer.on('data', (piece: Buffer) => {
      isSame &&= holdsAt(content, sizeBytes, piece);
      sizeBytes += piece.length;
    });
    await once(answer, 'end');
    return { sizeBytes, isSame };
  };
  const reads = await Promise.all(Array.from({ length: 50 }, read));
  for (const seen of reads) expect(seen).toEqual({ sizeBytes: content.sizeBytes, isSame: true });
  expect(store.log.bodyBytes).toBe(content.sizeBytes);
});
