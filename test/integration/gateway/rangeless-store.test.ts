import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSlowly } from '../../support/slow-reader.ts';
import { copyOf, holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const rangeless = { ignoresRange: true };
/** What a store has put into its socket by the time that it learns that nobody wants it. */
const underWayBytes = 16 * mebibyte;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, arenaBytes: 96 * mebibyte });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it('a large object from a store that ignores ranges costs its bytes once', async () => {
  const content = patternContent(64 * mebibyte + 3);
  store.put('b', 'cold.bin', content, rangeless);
  expect((await gateway.get('/b/cold.bin')).body.equals(copyOf(content))).toBe(true);
  expect(store.log.bodyBytes).toBe(content.sizeBytes);
});

it('extents that are all answered with the whole object end in one transfer', async () => {
  const content = patternContent(64 * mebibyte + 3);
  store.put('b', 'known.bin', content, rangeless);
  await gateway.head('/b/known.bin');
  expect((await gateway.get('/b/known.bin')).body.equals(copyOf(content))).toBe(true);
  expect(store.log.bodyBytes).toBeLessThan(content.sizeBytes + underWayBytes);
});

it('many ranges of one moment cost one transfer', async () => {
  const content = patternContent(40 * mebibyte);
  store.put('b', 'ranges.bin', content, rangeless);
  await gateway.head('/b/ranges.bin');
  const starts = Array.from({ length: 20 }, (_, index) => 2 * index * mebibyte - (index % 2));
  const answers = await Promise.all(
    starts.map(start => gateway.get('/b/ranges.bin', { range: `bytes=${start}-${start + 1_500_000}` })),
  );
  for (const [index, answer] of answers.entries()) {
    expect(answer.status).toBe(206);
    expect(holdsAt(content, starts[index] ?? 0, answer.body)).toBe(true);
  }
  expect(store.log.bodyBytes).toBeLessThan(content.sizeBytes + underWayBytes);
});

it('a range near the end fills the blocks before it too, and the next read finds them', async () => {
  const content = patternContent(32 * mebibyte);
  store.put('b', 'late.bin', content, rangeless);
  await gateway.head('/b/late.bin');
  const late = await gateway.get('/b/late.bin', { range: `bytes=${30 * mebibyte}-${31 * mebibyte}` });
  expect(holdsAt(content, 30 * mebibyte, late.body)).toBe(true);
  const asked = store.log.requests.length;
  const early = await gateway.get('/b/late.bin', { range: `bytes=5-${20 * mebibyte}` });
  expect(holdsAt(content, 5, early.body)).toBe(true);
  expect(store.log.requests.length).toBe(asked);
});

it('a transfer of the whole keeps near its reader when the reader is slow and the memory small', async () => {
  const small = await TestGateway.start({ storeUrl: store.url, arenaBytes: 16 * mebibyte });
  try {
    const content = patternContent(64 * mebibyte);
    store.put('b', 'slow.bin', content, rangeless);
    const body = await readSlowly(`${small.url()}/b/slow.bin`);
    expect(body.equals(copyOf(content))).toBe(true);
    expect(store.log.bodyBytes).toBe(content.sizeBytes);
  } finally {
    await small.close();
  }
});

it('one extent that is answered with the whole object takes the place of the others', async () => {
  const content = patternContent(32 * mebibyte);
  store.put('b', 'moody.bin', content);
  await gateway.head('/b/moody.bin');
  store.faults.next({ kind: 'range-ignored' });
  expect((await gateway.get('/b/moody.bin')).body.equals(copyOf(content))).toBe(true);
  expect(store.log.bodyBytes).toBeLessThan(content.sizeBytes + underWayBytes);
});

it('whole transfers that break are taken up where they stopped', async () => {
  const content = patternContent(20 * mebibyte);
  store.put('b', 'broken.bin', content, rangeless);
  store.faults.breakAfter(100_000, 3_000_000, 1, 7_500_000);
  expect((await gateway.get('/b/broken.bin')).body.equals(copyOf(content))).toBe(true);
});

it('a piece of a block that is held before the whole of it comes says nothing of the bytes behind it', async () => {
  const content = patternContent(3 * mebibyte);
  const [first, last] = [300_000, 499_999];
  store.put('b', 'piece.bin', content, rangeless);
  store.faults.next({
    kind: 'answer',
    status: 206,
    body: copyOf(content, first, last + 1 - first),
    headers: { etag: content.entityTag, 'content-range': `bytes ${first}-${last}/${content.sizeBytes}` },
  });
  await gateway.get('/b/piece.bin?partNumber=2');
  const stall = Promise.withResolvers<void>();
  store.faults.next({ kind: 'stall', afterBytes: 400_000, until: stall.promise });
  const answer = gateway.get('/b/piece.bin', { range: 'bytes=0-1999999' });
  await store.log.arrival(2);
  // passes through the gateway behind what the store has sent so far
  await gateway.head('/b/missing.bin');
  stall.resolve();
  const { status, body } = await answer;
  expect(status).toBe(206);
  expect(body.length).toBe(2_000_000);
  expect(holdsAt(content, 0, body)).toBe(true);
});
