import { expect, it } from 'vitest';
import type { StoreRequest } from '../../../../src/backend/store.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';

const mebibyte = 1024 * 1024;
const pages = 12;

function newCache(): WorkerCache {
  return new WorkerCache({
    memory: allocateSharedMemory(pages * mebibyte, mebibyte, 1),
    worker: 0,
    recordBytes: 1_000_000,
    clock: new ManualClock(),
    random: () => 0.5,
    retried: () => undefined,
  });
}

it('bytes that arrive a second time, while they are being written or are held, get no receiver', () => {
  const cache = newCache();
  const read = readOf('k', { bucket: bucketOf(silentStore) });
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes: pages * mebibyte };
  const content = cache.create(read, identity);
  const receive = (from: number, to: number) =>
    cache.receive(read, content, from, to, { call: undefined, isAwaited: true });
  const blockBytes = content.blockBytes;
  const first = receive(0, blockBytes);
  expect(receive(blockBytes - 1, 2 * blockBytes), 'some of it is being written').toBeUndefined();
  first?.bytes(Buffer.alloc(blockBytes, 1));
  first?.done();
  expect(cache.filler.inFlight).toBe(0);
  expect(receive(0, blockBytes), 'it is held').toBeUndefined();
  expect(receive(blockBytes, 2 * blockBytes)).toBeDefined();
});

it('contents of one store that are being filled leave memory for those of another', () => {
  const cache = newCache();
  /** How many blocks of a new content of `store` can be filled, of `limit`. */
  const fill = (store: string, key: string, limit: number) => {
    const read = readOf(key, { bucket: bucketOf({ ...silentStore, name: store }) });
    const identity = { objectKey: key, versionId: undefined, entityTag: '"t"', sizeBytes: pages * mebibyte };
    const content = cache.create(read, identity);
    let blocks = 0;
    while (blocks < limit && content.openBlock(blocks * content.blockBytes)) blocks++;
    return blocks;
  };
  expect(fill('fast', 'one', 1)).toBe(1);
  expect(fill('slow', 'a', 4)).toBe(4);
  expect(fill('slow', 'b', pages)).toBe(1);
  expect(fill('fast', 'two', 2)).toBe(2);
});

it('bytes are asked for with the consent to pay of whom the store has answered last', () => {
  const cache = newCache();
  const asked: StoreRequest[] = [];
  const call = {
    pause: () => undefined,
    resume: () => undefined,
    took: () => undefined,
    abort: () => undefined,
  };
  const store = {
    ...silentStore,
    send: (request: StoreRequest) => {
      asked.push(request);
      return call;
    },
  };
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes: 2 * mebibyte };
  const plain = readOf('k', { bucket: bucketOf(store) });
  const paying = { ...plain, variant: { ...plain.variant, requestPayer: 'requester' } };
  const payers = () =>
    asked.splice(0).map(({ fields = [] }) => fields.find(({ name }) => name === 'request-payer')?.value);
  for (const [first, then] of [
    ['requester', undefined],
    [undefined, 'requester'],
  ] as const) {
    const content = cache.create(first ? paying : plain, identity);
    const read = (from: number) => {
      const reader = content.open(from, from + 1);
      void reader.next();
      return reader;
    };
    const readers = [read(0)];
    expect(payers()).toEqual([first]);
    content.askAs({ versionId: undefined, requestPayer: then });
    readers.push(read(content.blockBytes));
    expect(payers()).toEqual([then]);
    for (const reader of readers) reader.close();
  }
});
