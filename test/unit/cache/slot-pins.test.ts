import { afterEach, describe, expect, it, vi } from 'vitest';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { interrupt } from '../../support/between-atomics.ts';

const pageBytes = 4 * GRANULE_BYTES;
const granulesPerPage = 4;
const pages = 8;

describe('law 2: what a reader has pinned stays, wherever the owner of the slot comes in between', () => {
  afterEach(() => vi.restoreAllMocks());

  /** An owner whose memory is full of contents, of which `slot` is the next to be evicted, and a reader of it. */
  function full() {
    const memory = allocateSharedMemory(pages * pageBytes, pageBytes, 2);
    const tier = new MemoryTier(memory, 0);
    const reader = new SlotPins(memory, 1);
    let contents = 0;
    const evicted: number[] = [];
    const replace = () => {
      const content = ++contents;
      const slot = tier.allocate(pageBytes, {
        contentHash: content,
        evicted: () => void evicted.push(content),
        moved: () => undefined,
      });
      if (slot === undefined) return undefined;
      tier.view(slot, pageBytes).fill(content);
      tier.complete(slot);
      tier.read(slot);
      return slot;
    };
    const slot = replace() ?? -1;
    const tag = tier.pins.tag(slot);
    for (let page = 1; page < pages; page++) replace();
    const replaceAll = () => {
      for (let page = 0; page < pages; page++) replace();
    };
    const isWhole = () => reader.view(slot, 0, pageBytes).every(byte => byte === 1);
    return { reader, slot, tag, evicted, replace, replaceAll, isWhole, purge: () => tier.free(slot) };
  }

  it.each<['evicts' | 'purges']>([['evicts'], ['purges']])(
    'the owner %s the content while it is being pinned',
    how => {
      let at = 0;
      for (let isReached = true; isReached; at++) {
        const { reader, slot, tag, replaceAll, isWhole, purge } = full();
        let isPinned = false;
        isReached = interrupt(
          at,
          () => (isPinned = reader.acquire(slot, tag)),
          () => {
            if (how === 'purges') purge();
            replaceAll();
          },
        );
        replaceAll();
        if (isPinned) {
          expect(isWhole(), `before operation ${at}`).toBe(true);
          reader.release(slot);
        }
        expect(reader.heldSlots).toBe(0);
      }
      expect(at).toBeGreaterThan(2);
    },
  );

  it('it is pinned while the owner evicts it', () => {
    let at = 0;
    let pinned = 0;
    for (let isReached = true; isReached; at++) {
      const { reader, slot, tag, evicted, replace, replaceAll, isWhole } = full();
      let isPinned = false;
      isReached = interrupt(at, replace, () => (isPinned = reader.acquire(slot, tag)));
      replaceAll();
      if (!isPinned) continue;
      pinned++;
      expect(evicted).not.toContain(1);
      expect(isWhole(), `before operation ${at}`).toBe(true);
      reader.release(slot);
      expect(reader.isHeld(slot)).toBe(false);
    }
    expect(pinned).toBeGreaterThan(0);
    expect(pinned, 'it comes too late after a while').toBeLessThan(at);
  });
});

describe('of two workers with two pages each', () => {
  /** Their pins, their memory, and the first slot of the second of them. */
  function two() {
    const memory = allocateSharedMemory(4 * pageBytes, pageBytes, 2);
    const pins = [new SlotPins(memory, 0), new SlotPins(memory, 1)] as const;
    return { memory, pins, ofOther: memory.layout.pagesPerWorker * granulesPerPage };
  }

  it('each counts the slots that it has pinned once, and all count those of an owner', () => {
    const { pins, ofOther } = two();
    const [one, other] = pins;
    const pin = (by: SlotPins, slot: number) => expect(by.acquire(slot, by.tag(slot))).toBe(true);
    for (const slot of [0, 0, 1, ofOther]) pin(other, slot);
    pin(one, 1);
    const counts = () => [
      ...[one.heldSlots, other.heldSlots],
      ...[one.heldBeside(0), other.heldBeside(1), one.heldBeside(ofOther), other.heldBeside(ofOther + 1)],
    ];
    expect(counts()).toEqual([1, 3, 3, 3, 1, 1]);
    expect([other.holds(0), other.holds(1), one.holds(0)]).toEqual([2, 1, 0]);
    other.release(0);
    expect(counts()).toEqual([1, 3, 3, 3, 1, 1]);
    other.release(0);
    other.release(ofOther);
    expect(counts()).toEqual([1, 1, 2, 2, 0, 0]);
    expect([one.isHeld(0), one.isHeld(1), one.isHeld(ofOther)]).toEqual([false, true, false]);
  });

  it('a need is claimed once, of the worker that owns the slot', () => {
    const { memory, pins, ofOther } = two();
    const needed = new Int32Array(memory.needed);
    needed[1] = 2;
    const claims = [0, ofOther, ofOther + 1, ofOther, ofOther].map(slot => pins[0].claimNeed(slot));
    expect(claims).toEqual([false, true, true, false, false]);
    needed[1] = 1;
    expect([pins[1].claimNeed(ofOther), pins[1].claimNeed(ofOther)]).toEqual([true, false]);
  });

  it('a slot is seen at the same place by both, apart from all others', () => {
    const { pins, ofOther } = two();
    const [one, other] = pins;
    const firsts = [0, granulesPerPage, ofOther, ofOther + granulesPerPage];
    const slots = firsts.flatMap(first => [0, 1, 2, 3].map(index => first + index));
    for (const [index, slot] of slots.entries()) one.view(slot, 0, GRANULE_BYTES).fill(index + 1);
    for (const [index, slot] of slots.entries()) {
      const seen = other.view(slot, 3, GRANULE_BYTES);
      expect(seen).toHaveLength(GRANULE_BYTES - 3);
      expect(seen.every(byte => byte === index + 1)).toBe(true);
    }
    expect(() => one.view(Number.MAX_SAFE_INTEGER, 0, 1)).toThrow('no slot');
  });

  it('there is no third', () => {
    expect(() => new SlotPins(two().memory, 2)).toThrow('no worker 2');
  });
});
