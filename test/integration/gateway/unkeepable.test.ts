import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { copyOf, holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const content = patternContent(3 * mebibyte + 5, 1);
const weak = { headers: { etag: 'W/"weak"' } };
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, workers: 2 });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it.each([
  ['a weak entity tag', weak],
  ['no entity tag', { without: ['etag'] }],
  ['no length', { without: ['content-length'], ignoresRange: true }],
  ['neither', { without: ['etag', 'content-length'], ignoresRange: true }],
])('an object with %s is given on whole as the store sends it, and not kept', async (_, options) => {
  store.put('b', 'x.bin', content, options);
  for (const worker of [0, 1, 0]) {
    const answer = await gateway.get('/b/x.bin', {}, worker);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(copyOf(content))).toBe(true);
    expect(answer.headers['x-cache']).toBe('BYPASS');
    expect(answer.headers['cache-status']).toBe('tidegate; fwd=bypass; detail=unkeepable');
    expect(answer.headers.age).toBeUndefined();
  }
  const head = await gateway.head('/b/x.bin');
  expect([head.status, head.headers['x-cache']]).toEqual([200, 'BYPASS']);
});

it("headers are the store's: its weak tag, its length or none, its ids", async () => {
  store.put('b', 'weak.bin', content, weak);
  store.put('b', 'chunked.bin', content, { without: ['content-length'], ignoresRange: true });
  const tagged = await gateway.get('/b/weak.bin');
  expect(tagged.headers.etag).toBe('W/"weak"');
  expect(tagged.headers['content-length']).toBe(String(content.sizeBytes));
  expect(tagged.headers['x-amz-id-2']).toBe('stand-in');
  const chunked = await gateway.get('/b/chunked.bin');
  expect(chunked.headers['transfer-encoding']).toBe('chunked');
  expect((await gateway.head('/b/chunked.bin')).headers['content-length']).toBeUndefined();
});

it('ranges and conditions of such an object are answered by the store', async () => {
  store.put('b', 'weak.bin', content, weak);
  const part = await gateway.get('/b/weak.bin', { range: 'bytes=1048570-1048580' });
  expect(part.status).toBe(206);
  expect(part.headers['content-range']).toBe(`bytes 1048570-1048580/${content.sizeBytes}`);
  expect(holdsAt(content, 1_048_570, part.body)).toBe(true);
  expect((await gateway.get('/b/weak.bin', { 'if-none-match': '*' })).status).toBe(304);
  expect((await gateway.get('/b/weak.bin', { 'if-match': '"other"' })).status).toBe(412);
  const beyond = await gateway.get('/b/weak.bin', { range: `bytes=${content.sizeBytes}-` });
  expect(beyond.status).toBe(416);
});

it('once it is known, each read of such an object costs one request', async () => {
  store.put('b', 'weak.bin', content, weak);
  await gateway.get('/b/weak.bin');
  const asked = store.log.requests.length;
  await gateway.get('/b/weak.bin', { range: 'bytes=0-9' });
  await gateway.head('/b/weak.bin');
  expect(store.log.requests.length - asked).toBe(2);
});

it('an answer that has begun is not completed from another', async () => {
  store.put('b', 'weak.bin', content, weak);
  await gateway.get('/b/weak.bin');
  store.faults.breakAfter(mebibyte);
  await expect(gateway.get('/b/weak.bin')).rejects.toThrow();
});

it('what was kept before is not served beside an answer that cannot be kept, and is kept again later', async () => {
  const clock = new ManualClock();
  const single = await TestGateway.start({ storeUrl: store.url, clock });
  try {
    const before = patternContent(10, 1);
    const after = patternContent(10, 2);
    store.put('b', 'x', before);
    expect((await single.get('/b/x')).body.equals(copyOf(before))).toBe(true);
    store.put('b', 'x', after, weak);
    clock.advance(60_001);
    expect((await single.get('/b/x')).body.equals(copyOf(after))).toBe(true);
    store.put('b', 'x', before);
    clock.advance(60_001);
    expect((await single.get('/b/x')).headers['x-cache']).toBe('MISS');
    expect((await single.get('/b/x')).headers['x-cache']).toBe('HIT');
  } finally {
    await single.close();
  }
});

it('a store whose HEAD leaves the length out is asked with GET', async () => {
  const clock = new ManualClock();
  const single = await TestGateway.start({ storeUrl: store.url, clock });
  try {
    store.put('b', 'x', content);
    await single.get('/b/x');
    clock.advance(60_001);
    store.log.clear();
    store.put('b', 'x', content, { without: ['content-length'] });
    store.log.at({ requests: 2 }, () => store.put('b', 'x', content));
    const again = await single.get('/b/x');
    expect(again.status).toBe(200);
    expect(again.body.equals(copyOf(content))).toBe(true);
    expect(store.log.requests.map(note => note.method)).toEqual(['HEAD', 'GET']);
  } finally {
    await single.close();
  }
});
