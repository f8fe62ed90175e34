import { beforeEach, describe, expect, it } from 'vitest';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';

const pageBytes = 64 * 1024;
const pages = 8;
const granulesPerPage = pageBytes / GRANULE_BYTES;

/** Each worker has memory of its own; what holds for the first must hold for another one. */
describe.each([0, 1])('slots of worker %d', worker => {
  let tier: MemoryTier;
  let other: MemoryTier;
  /** The contents that were evicted, in order. */
  let evicted: number[];
  let contents: number;

  beforeEach(() => {
    const memory = allocateSharedMemory(2 * pages * pageBytes, pageBytes, 2);
    tier = new MemoryTier(memory, worker);
    other = new MemoryTier(memory, 1 - worker);
    evicted = [];
    contents = 0;
  });

  /** A content of a page that is being filled. */
  function begin(sizeBytes = pageBytes): number {
    const contentHash = ++contents;
    const slot = tier.allocate(sizeBytes, {
      contentHash,
      evicted: () => void evicted.push(contentHash),
      moved: () => undefined,
    });
    if (slot === undefined) throw new Error('no room');
    return slot;
  }

  /** A content of a page, which was read once unless it is said to be `unread`. */
  function hold(how: 'read' | 'unread' = 'read'): number {
    const slot = begin();
    tier.complete(slot);
    if (how === 'read') tier.read(slot);
    return slot;
  }

  it('lie in its own pages, one in each, and are counted', () => {
    const foreign =
      other.allocate(pageBytes, { contentHash: 0, evicted: () => undefined, moved: () => undefined }) ?? -1;
    const foreignTag = other.pins.tag(foreign);
    const slots = Array.from({ length: pages }, () => hold());
    const first = worker * pages * granulesPerPage;
    expect(slots.toSorted((one, two) => one - two)).toEqual(
      Array.from({ length: pages }, (_, page) => first + page * granulesPerPage),
    );
    const capacityBytes = pages * pageBytes;
    expect(tier.usage).toEqual({ capacityBytes, usedBytes: capacityBytes, slots: pages, evictions: 0 });
    for (let count = 0; count < 3; count++) hold();
    expect(tier.usage).toEqual({ capacityBytes, usedBytes: capacityBytes, slots: pages, evictions: 3 });
    expect([other.pins.tag(foreign), other.usage.slots]).toEqual([foreignTag, 1]);
  });

  it('whose reader has stalled go first', () => {
    for (let count = 0; count < pages - 2; count++) hold();
    const stalled = hold('unread');
    hold('unread');
    tier.demote(stalled);
    hold();
    expect(evicted).toEqual([pages - 1]);
  });

  it('that were read, or are being filled, are not demoted', () => {
    const [first, second] = [hold(), hold()];
    for (let count = 3; count < pages; count++) hold();
    const filling = begin();
    tier.read(second);
    tier.demote(second);
    tier.demote(filling);
    tier.complete(filling);
    tier.read(filling);
    hold();
    expect(evicted).toEqual([1]);
    expect(tier.pins.isHeld(first)).toBe(false);
  });

  it('that are filled further are not evicted meanwhile', () => {
    const slot = hold();
    for (let count = 1; count < pages; count++) hold();
    expect(tier.reopen(slot)).toBe(true);
    for (let count = 0; count < 2 * pages; count++) hold();
    expect(evicted).not.toContain(1);
    tier.complete(slot);
    for (let count = 0; count < 2 * pages; count++) hold();
    expect(evicted).toContain(1);
  });

  it('that were given up are free, whether they were filled or not', () => {
    const [filled, filling] = [hold(), begin()];
    tier.free(filled);
    tier.free(filling);
    expect(tier.usage).toMatchObject({ slots: 0, usedBytes: 0 });
    for (let count = 0; count < pages; count++) hold();
    expect(evicted).toEqual([]);
    hold();
    expect(evicted).toEqual([3]);
  });

  it('that a reader has pinned are not evicted until they are released', () => {
    const slots = Array.from({ length: pages }, () => hold());
    for (const slot of slots) expect(other.pins.acquire(slot, tier.pins.tag(slot))).toBe(true);
    expect(
      tier.allocate(pageBytes, { contentHash: 0, evicted: () => undefined, moved: () => undefined }),
    ).toBeUndefined();
    for (const slot of slots) other.pins.release(slot);
    expect(begin()).toBe(slots[0]);
  });

  it.each<[string, (slot: number) => void]>([
    ['filled', slot => tier.complete(slot)],
    ['given up', slot => tier.free(slot)],
  ])('are waited for until one is %s', async (_, end) => {
    const slot = begin();
    let called = 0;
    const wait = () => tier.whenFreed(() => void called++);
    wait();
    wait()();
    expect([tier.waiting(0), tier.waitingFirst(0)]).toEqual([1, 0]);
    tier.whenFreed(() => void called++, 'pressing');
    expect([tier.waiting(0), tier.waitingFirst(0)]).toEqual([2, 1]);
    expect(other.pins.claimNeed(slot)).toBe(true);
    end(slot);
    await Promise.resolve();
    expect([called, tier.waiting(0)]).toEqual([2, 0]);
  });

  it('are waited for until a reader has released one', async () => {
    let called = 0;
    tier.whenFreed(() => void called++);
    tier.released();
    await Promise.resolve();
    expect(called).toBe(1);
  });

  it('are views of the memory that all workers see', () => {
    const slot = begin(1_000);
    tier.view(slot, 1_000).fill(7);
    expect([...new Set(other.pins.view(slot, 0, 1_000))]).toEqual([7]);
    expect(tier.view(slot, 10)).toHaveLength(10);
  });
});
