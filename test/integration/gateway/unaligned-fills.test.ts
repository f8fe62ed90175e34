import { afterEach, beforeEach, expect, it } from 'vitest';
import { holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({
    storeUrl: store.url,
    arenaBytes: 16 * mebibyte,
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it('a read before a suffix that is still arriving in the same block waits for it and then gets its own bytes', async () => {
  const content = patternContent(3 * mebibyte);
  store.put('b', 'tail.bin', content);
  const stall = Promise.withResolvers<void>();
  store.faults.next({
    kind: 'stall',
    afterBytes: 50_000,
    until: stall.promise,
  });
  const tail = gateway.get('/b/tail.bin', { range: 'bytes=-100000' });
  await store.log.arrival(1);
  await gateway.head('/b/tail.bin');
  const before = gateway.get('/b/tail.bin', {
    range: `bytes=${2 * mebibyte + 5}-${2 * mebibyte + 14}`,
  });
  await gateway.head('/b/tail.bin');
  stall.resolve();
  expect(holdsAt(content, content.sizeBytes - 100_000, (await tail).body)).toBe(true);
  const answer = await before;
  expect(answer.status).toBe(206);
  expect(holdsAt(content, 2 * mebibyte + 5, answer.body)).toBe(true);
});
