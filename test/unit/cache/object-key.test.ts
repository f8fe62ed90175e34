import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Epochs } from '../../../src/cache/epochs.ts';
import {
  bucketText,
  isTextInRange,
  ownerOf,
  partsOfText,
  SHARD_COUNT,
} from '../../../src/cache/object-key.ts';
import { allocateSharedMemory, releaseWorker } from '../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { keptBytesOf } from '../../support/kept-bytes.ts';
import { testKey } from '../../support/object-keys.ts';

it('keys of different places are different keys', () => {
  const texts = [
    testKey('a', 'b', 'c/d'),
    testKey('a', 'b/c', 'd'),
    testKey('a/b', 'c', 'd'),
    testKey('a', 'b', 'c//d'),
  ];
  expect(new Set(texts.map(key => key.text)).size).toBe(4);
});

it('a key keeps nothing of the URL that it was cut from', () => {
  expect(keptBytesOf(url => testKey('store', 'bucket', url.slice(0, url.indexOf('?'))))).toBeLessThan(2_000);
});

it('every key has one owner, and owners get like shares of them', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 16 }), (name, workers) => {
      const owner = ownerOf(testKey('m', 'b', name).hash, workers);
      expect(owner).toBeGreaterThanOrEqual(0);
      expect(owner).toBeLessThan(workers);
    }),
  );
  const shares = Array.from({ length: 4 }, () => 0);
  for (let index = 0; index < 40_000; index++) {
    const owner = ownerOf(testKey('m', 'b', `photos/${index}.jpg`).hash, 4);
    shares[owner] = (shares[owner] ?? 0) + 1;
  }
  for (const share of shares) expect(Math.abs(share - 10_000)).toBeLessThan(1_000);
  expect(SHARD_COUNT).toBe(256);
});

it('raising an epoch shows in every thread, for that key', () => {
  const memory = allocateSharedMemory(1, 4096, 2);
  const [here, there] = [new Epochs(memory), new Epochs(memory)];
  const key = testKey('m', 'b', 'k');
  const before = there.current(key);
  here.raise(key.keySlot);
  expect(there.current(key)).toBe(before + 1);
  expect(there.current({ ...key, keySlot: key.keySlot + 1 })).toBe(0);
});

it('the keys of a bucket share its epoch, and no other bucket does', () => {
  const memory = allocateSharedMemory(1, 4096, 2);
  const epochs = new Epochs(memory);
  epochs.raiseBucket(testKey('m', 'b', 'any').bucketSlot);
  const keys = [
    testKey('m', 'b', 'k'),
    testKey('m', 'b', 'l'),
    testKey('m', 'c', 'k'),
    testKey('n', 'b', 'k'),
  ];
  expect(keys.map(key => epochs.current(key))).toEqual([1, 1, 0, 0]);
});

it('the pins of a dead worker are cleared', () => {
  const memory = allocateSharedMemory(1, 4096, 2);
  const [dead, alive] = [new SlotPins(memory, 0), new SlotPins(memory, 1)];
  expect(dead.acquire(5, 0)).toBe(true);
  expect(alive.isHeld(5)).toBe(true);
  releaseWorker(memory, 0);
  expect(alive.isHeld(5)).toBe(false);
});

it('the text of a key tells its bucket, and what ranges it is in', () => {
  const name = fc.string({ unit: fc.constantFrom('a', '1', ':', '2:', '-'), maxLength: 4 });
  fc.assert(
    fc.property(fc.tuple(name, name, name), fc.tuple(name, name, name), (one, other) => {
      const key = testKey(...one);
      const range = { backend: other[0], bucket: other[1], keyPrefix: other[2] };
      const isMeant = one[0] === other[0] && one[1] === other[1] && one[2].startsWith(other[2]);
      expect(isTextInRange(key.text, range)).toBe(isMeant);
      const { bucketEnd, keyStart } = partsOfText(key.text);
      expect(key.text.slice(0, bucketEnd)).toBe(bucketText({ backend: one[0], bucket: one[1] }));
      expect(key.text.slice(keyStart)).toBe(one[2]);
      const own = { backend: one[0], bucket: one[1], keyPrefix: one[2].slice(0, 1) };
      expect(isTextInRange(key.text, own)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
