import { expect, it } from 'vitest';
import { Epochs } from '../../../src/cache/epochs.ts';
import { abandonWrites, OpenWrites } from '../../../src/cache/open-writes.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { UnsettledKeys } from '../../../src/cache/unsettled-keys.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const slot = 4_711;
const keyOf = (keySlot: number, bucketSlot = 1) => ({ keySlot, bucketSlot });

function setup() {
  const memory = allocateSharedMemory(8 * 1024, 1024, 2);
  const clock = new ManualClock();
  const epochs = new Epochs(memory);
  const unsettled = new UnsettledKeys(memory, clock);
  return { memory, clock, epochs, unsettled, writes: new OpenWrites(epochs, unsettled, memory, 1) };
}

it('what was read before a write began, or before its answer or end, is not current after it', () => {
  const { epochs, unsettled, writes } = setup();
  const seen = [epochs.current(keyOf(slot))];
  const write = writes.begin(slot);
  seen.push(epochs.current(keyOf(slot)));
  write.answered();
  seen.push(epochs.current(keyOf(slot)));
  write.over();
  seen.push(epochs.current(keyOf(slot)));
  expect(new Set(seen).size).toBe(4);
  write.over();
  expect(epochs.current(keyOf(slot))).toBe(seen.at(-1));
  expect(unsettled.has(keyOf(slot))).toBe(false);
});

it('nothing is written to a key of a web origin, whatever comes by a wrong way', () => {
  const { memory, epochs, writes, unsettled } = setup();
  const webSlot = new Int32Array(memory.epochs).length - 1;
  const write = writes.begin(webSlot);
  write.unsettled();
  write.over();
  expect([epochs.current(keyOf(webSlot)), unsettled.has(keyOf(webSlot))]).toEqual([0, false]);
});

/** The epochs of two keys of a bucket. */
const epochsIn = (epochs: Epochs, bucketSlot: number) =>
  [slot, slot + 1].map(keySlot => epochs.current(keyOf(keySlot, bucketSlot)));

it('a change of a bucket concerns all its keys, and those of no other bucket', () => {
  const { memory, epochs, unsettled, writes } = setup();
  writes.begin(slot).over();
  const [before, ofOther] = [epochsIn(epochs, 1), epochsIn(epochs, 2)];
  const write = writes.beginOfBucket(1);
  expect(epochsIn(epochs, 1)).toEqual(before);
  write.answered();
  expect(epochsIn(epochs, 1)).toEqual(before.map(epoch => epoch + 1));
  write.over();
  write.over();
  expect(epochsIn(epochs, 1)).toEqual(before.map(epoch => epoch + 2));
  expect(epochsIn(new Epochs(memory), 1), 'in another thread').toEqual(epochsIn(epochs, 1));
  expect(epochsIn(epochs, 2)).toEqual(ofOther);
  expect(unsettled.has(keyOf(slot))).toBe(false);
});

it('a change of a bucket that the store has refused, or did not get, concerns nothing', () => {
  const { epochs, writes } = setup();
  const before = epochsIn(epochs, 1);
  const refused = writes.beginOfBucket(1);
  refused.refused();
  refused.over();
  writes.beginOfBucket(1).over();
  expect(epochsIn(epochs, 1)).toEqual(before);
});

it('law 5: a change of a bucket that may be carried out later leaves all its keys unsettled for a minute, and those of no other bucket', () => {
  const { memory, clock, epochs, unsettled, writes } = setup();
  const before = epochsIn(epochs, 1);
  const write = writes.beginOfBucket(1);
  write.unsettled();
  write.over();
  expect(epochsIn(epochs, 1)).toEqual(before.map(epoch => epoch + 1));
  clock.advance(59_999);
  for (const keySlot of [slot, slot + 1]) {
    expect(unsettled.has(keyOf(keySlot))).toBe(true);
    expect(new UnsettledKeys(memory, clock).has(keyOf(keySlot)), 'in another thread').toBe(true);
    expect(unsettled.has(keyOf(keySlot, 2))).toBe(false);
  }
  clock.advance(1_001);
  expect(unsettled.has(keyOf(slot))).toBe(false);
});

it('when a worker dies, what becomes of its changes of buckets is not known', () => {
  const { memory, epochs, unsettled, writes } = setup();
  writes.beginOfBucket(1);
  const finished = writes.beginOfBucket(2);
  finished.answered();
  finished.over();
  const before = epochsIn(epochs, 1);
  abandonWrites(memory, 1, unsettled);
  expect([1, 2].map(bucketSlot => unsettled.has(keyOf(slot, bucketSlot)))).toEqual([true, false]);
  expect(epochsIn(epochs, 1)).toEqual(before.map(epoch => epoch + 1));
});

it('other keys are not concerned', () => {
  const { epochs, unsettled, writes } = setup();
  const write = writes.begin(slot);
  write.unsettled();
  write.over();
  expect(epochs.current(keyOf(slot + 1))).toBe(0);
  expect(unsettled.has(keyOf(slot + 1))).toBe(false);
});

it('a write that may be carried out later leaves its key unsettled for a minute, for all threads', () => {
  const { memory, clock, epochs, unsettled, writes } = setup();
  const write = writes.begin(slot);
  const before = epochs.current(keyOf(slot));
  write.unsettled();
  expect(epochs.current(keyOf(slot))).not.toBe(before);
  write.over();
  clock.advance(59_999);
  expect(unsettled.has(keyOf(slot))).toBe(true);
  expect(new UnsettledKeys(memory, clock).has(keyOf(slot))).toBe(true);
  clock.advance(1_001);
  expect(unsettled.has(keyOf(slot))).toBe(false);
});

it('a later one prolongs that, and a step of the wall clock ends it no earlier', () => {
  const { clock, unsettled, writes } = setup();
  writes.begin(slot).unsettled();
  clock.advance(40_000);
  writes.begin(slot).unsettled();
  clock.stepWallClock(3_600_000);
  clock.advance(59_999);
  expect(unsettled.has(keyOf(slot))).toBe(true);
});

it('when a worker dies, what becomes of its writes is not known; those of others and finished ones are not concerned', () => {
  const { memory, epochs, unsettled, writes } = setup();
  const other = slot + 1;
  writes.begin(other).over();
  writes.begin(slot);
  writes.begin(slot).over();
  const before = [epochs.current(keyOf(slot)), epochs.current(keyOf(other))];
  abandonWrites(memory, 0, unsettled);
  expect([unsettled.has(keyOf(slot)), unsettled.has(keyOf(other))]).toEqual([false, false]);
  abandonWrites(memory, 1, unsettled);
  expect([unsettled.has(keyOf(slot)), unsettled.has(keyOf(other))]).toEqual([true, false]);
  expect([epochs.current(keyOf(slot)), epochs.current(keyOf(other))]).toEqual([
    (before[0] ?? 0) + 1,
    before[1],
  ]);
  abandonWrites(memory, 1, unsettled);
  expect(epochs.current(keyOf(slot))).toBe((before[0] ?? 0) + 1);
});

/** What is read of a key of a bucket: its epoch, and whether it has to be revalidated. */
const readOf = ({ epochs, unsettled }: ReturnType<typeof setup>, bucketSlot: number) => {
  const key = keyOf(slot + 1, bucketSlot);
  return { epoch: epochs.current(key), isUnsettled: unsettled.has(key) };
};

it('what was learned of buckets that a reload moves is not current after it', () => {
  const all = setup();
  const before = [1, 2, 3].map(bucketSlot => readOf(all, bucketSlot));
  all.writes.moved(new Set([1, 2]));
  const after = [1, 2, 3].map(bucketSlot => readOf(all, bucketSlot));
  expect(after.map(({ epoch }, index) => epoch - (before[index]?.epoch ?? 0))).toEqual([1, 1, 0]);
  expect(after.some(({ isUnsettled }) => isUnsettled)).toBe(false);
  all.writes.moved('every');
  expect(readOf(all, 3).epoch).toBe((after[2]?.epoch ?? 0) + 1);
});

it.each(['begin', 'beginOfBucket'] as const)(
  'a write that is under way when buckets are moved leaves them unsettled when it is answered: %s',
  kind => {
    const all = setup();
    const write = all.writes[kind](7);
    all.writes.moved(new Set([1]));
    all.writes.moved(new Set([2]));
    const before = [1, 2, 3].map(bucketSlot => readOf(all, bucketSlot));
    write.answered();
    const after = [1, 2, 3].map(bucketSlot => readOf(all, bucketSlot));
    expect(after.map(({ isUnsettled }) => isUnsettled)).toEqual([true, true, false]);
    expect(after[0]?.epoch).toBeGreaterThan(before[0]?.epoch ?? 0);
    expect(after[2]).toEqual(before[2]);
  },
);

it('a write that is given up leaves moved buckets unsettled too, and one that begins after the move does not', () => {
  const given = setup();
  const write = given.writes.begin(7);
  given.writes.moved(new Set([1]));
  write.over();
  expect(readOf(given, 1).isUnsettled).toBe(true);
  const later = setup();
  later.writes.moved(new Set([1]));
  later.writes.begin(7).over();
  expect(readOf(later, 1).isUnsettled).toBe(false);
});

it('buckets that are moved while a write may still be carried out are unsettled', () => {
  const all = setup();
  all.writes.begin(7).unsettled();
  all.writes.moved(new Set([1]));
  expect(readOf(all, 1).isUnsettled).toBe(true);
  all.clock.advance(62_000);
  all.writes.moved(new Set([2]));
  expect(readOf(all, 2).isUnsettled).toBe(false);
});
