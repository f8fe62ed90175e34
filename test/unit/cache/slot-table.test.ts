import { afterEach, describe, expect, it, vi } from 'vitest';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { SlotTable } from '../../../src/cache/slot-table.ts';
import { interrupt } from '../../support/between-atomics.ts';

const pageBytes = 2 * GRANULE_BYTES;

/** A page with a block of ones and room beside it, and a reader in another thread that knows the block by its tag. */
function oneBlock() {
  const memory = allocateSharedMemory(2 * 8 * pageBytes, pageBytes, 2);
  const slots = new SlotTable(memory, 0, undefined);
  const reader = new SlotPins(memory, 1);
  slots.openPage();
  const [run = -1, place = -1] = [slots.holes.take(1), slots.holes.take(1)];
  const told: number[] = [];
  const slot = slots.occupy(run, { evicted: () => told.push(-1), moved: to => told.push(to) }, 1);
  slots.queue.insert(run);
  slots.pins.view(slot, 0, GRANULE_BYTES).fill(1);
  return { slots, reader, run, place, told, slot, tag: reader.tag(slot) };
}

it('what a worker that died has told of its slots is void where its successor has moved a block', () => {
  const memory = allocateSharedMemory(2 * 8 * pageBytes, pageBytes, 2);
  const reader = new SlotPins(memory, 1);
  const owner = { evicted: () => undefined, moved: () => undefined };
  const halves = () => {
    const slots = new SlotTable(memory, 0, undefined);
    slots.openPage();
    const [run = -1, place = -1] = [slots.holes.take(1), slots.holes.take(1)];
    return { slots, run, place };
  };
  const dead = halves();
  const slot = dead.slots.occupy(dead.place, owner, 1);
  const tag = reader.tag(slot);
  const { slots, run, place } = halves();
  expect(slots.slotOf(place)).toBe(slot);
  slots.occupy(run, owner, 1);
  slots.queue.insert(run);
  expect(slots.move(run, place)).toBe(true);
  expect(reader.acquire(slot, tag)).toBe(false);
});

/** Gives all that is free to others, who write to it. */
function fillHoles(slots: SlotTable): void {
  slots.reclaim();
  for (let run = slots.holes.take(1); run !== undefined; run = slots.holes.take(1))
    slots.pins.view(slots.slotOf(run), 0, GRANULE_BYTES).fill(0xff);
}

describe('law 2: what a reader has pinned stays, whenever it comes', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(['moves', 'evicts', 'frees'] as const)('while the owner %s the block', how => {
    let [at, pinned] = [0, 0];
    for (let isReached = true; isReached; at++) {
      const { slots, reader, run, place, told, slot, tag } = oneBlock();
      const work = () => {
        if (how === 'moves') slots.move(run, place);
        else if (how === 'evicts') slots.evict(run);
        else {
          slots.queue.remove(run);
          slots.free(run);
        }
      };
      let isPinned = false;
      isReached = interrupt(at, work, () => (isPinned = reader.acquire(slot, tag)));
      fillHoles(slots);
      const isGone = told.length > 0 || how === 'frees';
      if (isPinned) {
        pinned++;
        expect(
          reader.view(slot, 0, GRANULE_BYTES).every(byte => byte === 1),
          `before operation ${at}`,
        ).toBe(true);
        expect(isGone).toBe(how === 'frees');
        reader.release(slot);
        fillHoles(slots);
      } else if (isReached) expect(isGone, 'nobody holds it').toBe(true);
      expect(reader.acquire(slot, tag), 'what was known of it is void').toBe(false);
      const [to = -1] = told;
      if (to >= 0) expect(reader.view(to, 0, GRANULE_BYTES).every(byte => byte === 1)).toBe(true);
      expect(reader.heldSlots).toBe(0);
    }
    expect(pinned).toBeGreaterThan(0);
    expect(pinned, 'it comes too late after a while').toBeLessThan(at);
  });
});
