import { get as httpGet } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSlowly } from '../../support/slow-reader.ts';
import { copyOf, holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, arenaBytes: 64 * mebibyte });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it('six broken transfers during one read: the client sees nothing of it', async () => {
  const content = patternContent(20 * mebibyte);
  store.put('b', 'broken.bin', content);
  store.faults.breakAfter(100_000, 3_000_000, 1, 2_500_000, 0, 777);
  const answer = await gateway.get('/b/broken.bin');
  expect(answer.status).toBe(200);
  expect(answer.body.equals(copyOf(content))).toBe(true);
  expect(store.faults.left).toBe(0);
});

it('asks again when the store is busy, and gives on its answer when it stays so', async () => {
  store.put('b', 'busy.txt', 'now');
  store.faults.next({ kind: 'answer', status: 503, body: '<Error><Code>SlowDown</Code></Error>' }, 2);
  expect((await gateway.get('/b/busy.txt')).body.toString()).toBe('now');
  store.put('b', 'busier.txt', 'never');
  store.faults.next({ kind: 'answer', status: 503, body: '<Error><Code>SlowDown</Code></Error>' }, 3);
  const refused = await gateway.get('/b/busier.txt');
  expect(refused.status).toBe(503);
  expect(refused.body.toString()).toContain('SlowDown');
  expect((await gateway.get('/b/busier.txt')).status, 'a 503 is not remembered').toBe(200);
});

/** What a client gets of an answer that may be cut off. */
async function receive(url: string): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const { body } = await fetch(url);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body ?? []) chunks.push(chunk);
    return { body: Buffer.concat(chunks), isCut: false };
  } catch {
    return { body: Buffer.concat(chunks), isCut: true };
  }
}

it('cuts the answer off when the object changes after its first byte, and mixes no bodies', async () => {
  // several extents: those that are asked for before the change bring the old content
  const small = await TestGateway.start({ storeUrl: store.url, arenaBytes: 8 * mebibyte });
  try {
    const before = patternContent(12 * mebibyte, 1);
    const after = patternContent(12 * mebibyte, 2);
    store.put('b', 'changing.bin', before);
    store.rateBytesPerS = 40 * mebibyte;
    store.log.at({ bodyBytes: 3 * mebibyte }, () => store.put('b', 'changing.bin', after));
    const url = `${small.url()}/b/changing.bin`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => receive(url)));
    for (const { body, isCut } of answers) {
      expect(holdsAt(before, 0, body) || holdsAt(after, 0, body)).toBe(true);
      expect(body.length < before.sizeBytes).toBe(isCut);
    }
    expect(answers.some(({ isCut, body }) => isCut && body.length > 0)).toBe(true);
    store.rateBytesPerS = Number.POSITIVE_INFINITY;
    const fresh = await receive(url);
    expect(fresh).toMatchObject({ isCut: false });
    expect(fresh.body.equals(copyOf(after))).toBe(true);
  } finally {
    await small.close();
  }
});

it('starts anew when the object has changed before the first byte', async () => {
  const before = patternContent(3 * mebibyte, 1);
  const after = patternContent(2 * mebibyte, 2);
  store.put('b', 'late.bin', before);
  await gateway.get('/b/late.bin', { range: 'bytes=0-9' });
  store.put('b', 'late.bin', after);
  const answer = await gateway.get('/b/late.bin', { range: 'bytes=1500000-1500009' });
  expect(answer.status).toBe(206);
  expect(answer.headers['content-range']).toBe(`bytes 1500000-1500009/${after.sizeBytes}`);
  expect(holdsAt(after, 1_500_000, answer.body)).toBe(true);
});

it('law 3: an answer that does not fit what was asked is not used', async () => {
  const content = patternContent(4 * mebibyte);
  store.put('b', 'wrong.bin', content);
  store.faults.next({ kind: 'content-range', value: `bytes 5-${mebibyte + 4}/${content.sizeBytes}` }, 1);
  expect((await gateway.get('/b/wrong.bin', { range: 'bytes=0-9' })).status).toBe(502);
  store.faults.next({ kind: 'range-ignored' }, 1);
  const ignored = await gateway.get('/b/wrong.bin', { range: `bytes=${3 * mebibyte}-${3 * mebibyte + 9}` });
  expect(holdsAt(content, 3 * mebibyte, ignored.body)).toBe(true);
});

it('a client that leaves stops no one else, and leaves nothing behind', async () => {
  const content = patternContent(30 * mebibyte);
  store.put('b', 'left.bin', content);
  store.rateBytesPerS = 50 * mebibyte;
  const stays = gateway.get('/b/left.bin');
  await store.log.arrival(1);
  const leaver = httpGet(`${gateway.url()}/b/left.bin`, answer =>
    answer.once('data', () => leaver.destroy()),
  );
  leaver.on('error', () => undefined);
  expect((await stays).body.equals(copyOf(content))).toBe(true);
  expect(store.log.bodyBytes).toBe(content.sizeBytes);
});

it('reads an object larger than all its memory', async () => {
  const small = await TestGateway.start({ storeUrl: store.url, arenaBytes: 16 * mebibyte });
  try {
    const content = patternContent(40 * mebibyte);
    store.put('b', 'huge.bin', content);
    const answer = await small.get('/b/huge.bin');
    expect(answer.body.length).toBe(content.sizeBytes);
    expect(holdsAt(content, 0, answer.body)).toBe(true);
  } finally {
    await small.close();
  }
});

it('every request of one moment for different ranges of a cold object costs each block once', async () => {
  const content = patternContent(16 * mebibyte);
  store.put('b', 'ranges.bin', content);
  const starts = Array.from({ length: 40 }, (_, index) => (index * 409_600) % (15 * mebibyte));
  const answers = await Promise.all(
    starts.map(start => gateway.get('/b/ranges.bin', { range: `bytes=${start}-${start + 500_000}` })),
  );
  for (const [index, answer] of answers.entries())
    expect(holdsAt(content, starts[index] ?? 0, answer.body)).toBe(true);
  expect(store.log.bodyBytes).toBeLessThanOrEqual(content.sizeBytes);
});

it('an object that goes while it is cached in part is cut off once, and missing for the next reader', async () => {
  store.put('b', 'gone.bin', patternContent(3 * mebibyte));
  await gateway.get('/b/gone.bin', { range: 'bytes=0-9' });
  store.remove('b', 'gone.bin');
  await expect(gateway.get('/b/gone.bin')).rejects.toThrow();
  expect((await gateway.get('/b/gone.bin')).status).toBe(404);
});

it('of a long suffix that nobody reads to its end, little more than an extent is fetched', async () => {
  const content = patternContent(36 * mebibyte);
  store.put('b', 'suffix.bin', content);
  store.rateBytesPerS = 100 * mebibyte;
  const range = `bytes=-${32 * mebibyte}`;
  const answer = await gateway.get('/b/suffix.bin', { range, 'if-range': '"another"' });
  expect(answer.status).toBe(200);
  expect(holdsAt(content, 0, answer.body)).toBe(true);
  const [ofSuffix] = store.log.requests;
  expect(ofSuffix?.headers.range).toBe(range);
  // an extent of 8 MiB, and what was on its way when it was given up
  expect(ofSuffix?.bodyBytes).toBeLessThan(20 * mebibyte);
  const part = await gateway.get('/b/suffix.bin', { range, 'if-range': content.entityTag });
  expect(part.body.length).toBe(32 * mebibyte);
  expect(holdsAt(content, 4 * mebibyte, part.body)).toBe(true);
});

it('a reader slower than the store, through a memory of things read twice, costs each byte once', async () => {
  const small = await TestGateway.start({ storeUrl: store.url, arenaBytes: 16 * mebibyte });
  try {
    store.put('b', 'hot.bin', patternContent(16 * mebibyte));
    for (let time = 0; time < 3; time++) await small.get('/b/hot.bin');
    const content = patternContent(64 * mebibyte, 1);
    store.put('b', 'slow.bin', content);
    store.log.clear();
    const body = await readSlowly(`${small.url()}/b/slow.bin`);
    expect(body.equals(copyOf(content))).toBe(true);
    expect(store.log.bodyBytes).toBe(content.sizeBytes);
  } finally {
    await small.close();
  }
});
