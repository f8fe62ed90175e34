import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GRANULE_BYTES } from '../../src/cache/granules.ts';
import { allocateSharedMemory, releaseWorker } from '../../src/cache/shared-memory.ts';
import { SlotIndex } from '../../src/cache/slot-index.ts';

const granulesPerPage = 8;
/** Of each worker. */
const slots = 8 * granulesPerPage;

/** Many meet in one place, at the end of the table and at its beginning, or differ in their lowest bit alone. */
const hash = fc.oneof(
  fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 32 - 2, 2 ** 31, 2 ** 31 - 1),
  fc.integer({ min: 2 ** 32 - 2 ** 27, max: 2 ** 32 - 1 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);

const step = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'add', 'remove', 'move'),
  hash,
  pick: fc.nat(),
});

function newIndex(worker: number) {
  const memory = allocateSharedMemory(1, granulesPerPage * GRANULE_BYTES, 2);
  return { memory, index: new SlotIndex(memory, worker) };
}

it('finds exactly what was added and not removed, whatever the hashes, up to as many as there are slots', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), fc.nat(1), (steps, worker) => {
      const { index } = newIndex(worker);
      const known = new Map<number, number>();
      const unused = Array.from({ length: slots }, (_, slot) => worker * slots + slot);
      for (const { kind, hash, pick } of steps) {
        const [slot, of] = [...known][pick % Math.max(1, known.size)] ?? [];
        if (kind === 'add') {
          const added = unused.shift();
          if (added === undefined) continue;
          index.add(hash, added);
          known.set(added, hash);
        } else if (slot !== undefined && of !== undefined) {
          known.delete(slot);
          const to = kind === 'move' ? unused.shift() : undefined;
          if (to === undefined) index.remove(of, slot);
          else {
            index.move(of, slot, to);
            known.set(to, of);
          }
          unused.push(slot);
        }
        for (const [slot, of] of known) expect(index.find(of, found => found === slot)).toBe(slot);
        const meant: number[] = [];
        expect(index.find(hash, found => meant.push(found) === 0)).toBeUndefined();
        expect(meant.sort()).toEqual([...known].flatMap(([slot, of]) => (of === hash ? slot : [])).sort());
      }
    }),
    { numRuns: 60 },
  );
});

it('what was not added cannot be removed or moved', () => {
  const { index } = newIndex(0);
  index.add(7, 1);
  expect(() => index.remove(7, 2)).toThrow(RangeError);
  expect(() => index.remove(8, 1)).toThrow(RangeError);
  expect(() => index.move(8, 1, 2)).toThrow(RangeError);
});

it('a search ends also where all places are used, as it may seem to another thread', () => {
  const { memory, index } = newIndex(1);
  new Int32Array(memory.indexes[1] ?? new SharedArrayBuffer(0)).fill(7);
  expect(index.find(0, () => false)).toBeUndefined();
});

it('a worker that takes the place of one that died finds nothing', () => {
  const { memory, index } = newIndex(1);
  for (let slot = slots; slot < 2 * slots; slot++) index.add(slot * 2 ** 20, slot);
  releaseWorker(memory, 1);
  const next = new SlotIndex(memory, 1);
  for (let slot = slots; slot < 2 * slots; slot++)
    expect(next.find(slot * 2 ** 20, () => true)).toBeUndefined();
});

it('a search ends at the first place that is not used, however large the table is', () => {
  const { memory, index } = newIndex(0);
  const places = new Int32Array(memory.indexes[0] ?? new SharedArrayBuffer(0));
  const [hash, listed] = [0, 1];
  for (const slot of [3, 4]) index.add(hash, slot);
  expect(index.find(hash, slot => slot === 4)).toBe(4);
  // whatever is behind it is another search's
  [places[2 * 3], places[2 * 3 + listed]] = [hash, 5 + 1];
  expect(index.find(hash, slot => slot === 5)).toBeUndefined();
});
