import { expect, it } from 'vitest';
import { LooseEntry } from '../../../src/cache/loose-entry.ts';
import { pack } from '../../../src/cache/packed-entry.ts';
import type { LaterOwner } from '../../../src/cache/slot-owner.ts';
import { testKey } from '../../support/object-keys.ts';
import { anythingLearned } from '../../support/records.ts';

const valid = { start: 0, end: 100 };

function entryOf(slots: readonly number[], tagSlots: readonly number[] = []) {
  const owners = new Map<number, LaterOwner>();
  const { record } = anythingLearned;
  const records = new Map([['', { ...record, tagSlots }]]);
  const bytes = pack({ objectKey: testKey('main', 'b', 'k'), records, barrier: 0 }, []);
  const blocks = slots.map((slot, index) => ({ content: 0, index, slot, valid }));
  let lostBytes = 0;
  const entry = new LooseEntry(bytes, blocks, (slot, owner) => owners.set(slot, owner), {
    lostBlock: (_, bytes) => (lostBytes += bytes),
  });
  return { entry, owners, lost: () => lostBytes };
}

it('loses exactly what is evicted, in whatever order, and at last it is bare', () => {
  const slots = [5, 3, 8, 1, 9, 2];
  const { entry, owners, lost } = entryOf(slots);
  const costBytes = entry.costBytes;
  const left = new Set(slots);
  for (const slot of [8, 5, 2, 3, 9, 1]) {
    expect(entry.isBare).toBe(false);
    owners.get(slot)?.evicted(slot);
    left.delete(slot);
    expect(new Set(entry.slots)).toEqual(left);
    expect(entry.heldBytes).toBe(100 * left.size);
    expect(entry.costBytes).toBe(costBytes - lost());
  }
  expect(entry.isBare).toBe(true);
});

it('an eviction displaces one other block at most, however many there are', () => {
  const slots = Array.from({ length: 500 }, (_, slot) => slot);
  const { entry, owners } = entryOf(slots);
  const list = entry.blocks;
  for (const slot of slots) {
    const before = entry.slots;
    owners.get(slot)?.evicted(slot);
    const displaced = entry.slots.filter((slot, place) => slot !== before[place]);
    expect(displaced.length, `slot ${slot}`).toBeLessThanOrEqual(1);
  }
  expect(entry.blocks, 'and there is one list').toBe(list);
});

it('law 8: costs a number for each of its tags, besides what they take in its text', () => {
  const tagSlots = Array.from({ length: 100 }, (_, slot) => slot);
  const [tagged, plain] = [entryOf([], tagSlots), entryOf([])];
  // once in front, and once with the record
  const textBytes = 2 * tagSlots.length;
  expect(tagged.entry.costBytes - plain.entry.costBytes).toBe(textBytes + 8 * tagSlots.length);
});
