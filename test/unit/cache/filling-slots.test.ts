import { expect, it } from 'vitest';
import { FillingSlots } from '../../../src/cache/filling-slots.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const pageBytes = 64 * 1024;
const pages = 12;

/** Memory that is being filled by groups; whatever is taken back ends its fill. */
class Fills {
  readonly clock = new ManualClock();
  readonly tier: MemoryTier;
  /** The groups that slots were taken back from, in order. */
  readonly takenBack: number[] = [];

  constructor(pageCount = pages) {
    this.tier = new MemoryTier(allocateSharedMemory(pageCount * pageBytes, pageBytes, 1), 0, this.clock);
  }

  begin(group: number, sizeBytes = pageBytes): number | undefined {
    const takenBack = () => {
      this.takenBack.push(group);
      this.tier.complete(slot ?? -1);
    };
    const slot = this.tier.allocate(
      sizeBytes,
      { contentHash: 0, evicted: () => undefined, moved: () => undefined, takenBack },
      group,
    );
    return slot;
  }

  /** Fills for `group` until there is no room for it, at most `limit` slots. */
  beginAll(group: number, limit = 1_000, sizeBytes = pageBytes): number[] {
    const slots: number[] = [];
    while (slots.length < limit) {
      const slot = this.begin(group, sizeBytes);
      if (slot === undefined) break;
      slots.push(slot);
    }
    return slots;
  }

  /** Each of `groups` has filled something just now. */
  were(groups: readonly number[]): this {
    for (const group of groups) this.tier.free(this.begin(group) ?? -1);
    return this;
  }
}

it('fills of the only group may take the whole memory', () => {
  expect(new Fills().beginAll(7)).toHaveLength(pages);
});

it('fills of a group take half of what no other group is filling', () => {
  const fills = new Fills().were([1, 2]);
  expect(fills.beginAll(1)).toHaveLength(6);
  expect(fills.beginAll(2)).toHaveLength(4);
});

it('whichever group fills nothing gets the last page, however many came before', () => {
  const fills = new Fills(8).were([1, 2]);
  expect([fills.beginAll(1), fills.beginAll(2), fills.beginAll(3, 1)].map(one => one.length)).toEqual([
    4, 2, 1,
  ]);
  expect(fills.begin(4)).toBeDefined();
  expect(fills.takenBack).toEqual([]);
});

it('a group that is alone may take all again once the others have asked for nothing for 10 s', () => {
  const fills = new Fills().were([1, 2]);
  expect(fills.beginAll(1)).toHaveLength(6);
  fills.clock.advance(9_999);
  expect(fills.beginAll(1)).toEqual([]);
  fills.clock.advance(1);
  expect(fills.beginAll(1)).toHaveLength(6);
});

it('what a group has beyond its fair share comes back to another group, half a second after its fill began', () => {
  const fills = new Fills();
  expect(fills.beginAll(1)).toHaveLength(12);
  fills.clock.advance(499);
  expect(fills.begin(2)).toBeUndefined();
  fills.clock.advance(1);
  expect(fills.beginAll(2)).toHaveLength(4);
  expect(fills.takenBack).toEqual([1, 1, 1, 1]);
  expect(fills.beginAll(1)).toEqual([]);
  fills.clock.advance(500);
  expect(fills.beginAll(3)).toHaveLength(3);
  expect(fills.takenBack).toEqual([1, 1, 1, 1, 1, 1, 1]);
});

it('a group that has its fair share takes nothing back, although another one has more', () => {
  const clock = new ManualClock();
  const slotsPerPage = 100;
  const filling = new FillingSlots(pages, slot => Math.floor(slot / slotsPerPage), clock);
  const begin = (group: number, ...inPages: number[]) => {
    for (const page of inPages) filling.begin(page * slotsPerPage, group);
  };
  begin(1, 0, 1, 2);
  begin(2, 3, 4, 5, 6);
  filling.asks(3);
  clock.advance(500);
  // the other pages may be held by readers
  expect(filling.asks(1)).toBe(true);
  expect(filling.toTakeBack(1)).toBeUndefined();
  filling.end(2 * slotsPerPage);
  expect(filling.toTakeBack(1)).toBe(3 * slotsPerPage);
  expect(filling.toTakeBack(2), 'nor from itself').toBeUndefined();
});

it('more groups than pages take turns', () => {
  const fills = new Fills(8);
  for (let group = 1; group <= 8; group++) expect(fills.begin(group)).toBeDefined();
  fills.clock.advance(500);
  expect(fills.begin(9)).toBeDefined();
  expect(fills.takenBack).toEqual([1]);
  expect(fills.begin(9)).toBeUndefined();
  fills.clock.advance(1);
  expect(fills.begin(1)).toBeDefined();
  expect(fills.takenBack).toEqual([1, 2]);
});

it('small slots count as the page that they keep from large ones, and share it', () => {
  const fills = new Fills(8).were([1, 2]);
  for (const part of [2, 4, 16, 32]) expect(fills.begin(1, pageBytes / part)).toBeDefined();
  expect(fills.beginAll(1)).toHaveLength(3);
  expect(fills.beginAll(1, 1_000, pageBytes / 16)).toHaveLength(2);
  expect(fills.beginAll(2)).toHaveLength(2);
});

it('a whole page comes back where its small slots are being filled', () => {
  const fills = new Fills(8);
  const small = fills.beginAll(1, 8 * 16, pageBytes / 16);
  expect(small).toHaveLength(8 * 16);
  fills.clock.advance(500);
  expect(fills.begin(2)).toBeDefined();
  expect(fills.takenBack).toHaveLength(16);
  expect(fills.begin(2, pageBytes / 16), 'room for a small one needs a single slot').toBeDefined();
  expect(fills.takenBack).toHaveLength(17);
});

it('a fill that has ended, or was given up, makes place for another of its group', () => {
  const fills = new Fills().were([1, 2]);
  const [first = -1, second = -1] = fills.beginAll(1);
  fills.tier.complete(first);
  expect(fills.beginAll(1)).toHaveLength(1);
  fills.tier.free(second);
  expect(fills.beginAll(1)).toHaveLength(1);
});

it('a block that is filled further counts too', () => {
  const fills = new Fills().were([1, 2]);
  const held = fills.begin(1) ?? -1;
  fills.tier.complete(held);
  const [first = -1] = fills.beginAll(1);
  expect(fills.tier.reopen(held, 1)).toBe(false);
  expect(fills.tier.reopen(held, 2)).toBe(true);
  fills.tier.complete(held);
  fills.tier.complete(first);
  expect(fills.tier.reopen(held, 1)).toBe(true);
  expect(fills.beginAll(1)).toEqual([]);
});

it('who waits for the share of its group is in nobody’s way, and is called when a fill ends', async () => {
  const fills = new Fills().were([1, 2]);
  const { tier } = fills;
  const [slot = -1] = fills.beginAll(1);
  const called = new Promise<void>(resolve => tier.whenFreed(resolve, 'urgent', 1));
  expect([tier.waiting(1), tier.waitingFirst(1)]).toEqual([1, 1]);
  expect([tier.waiting(2), tier.waitingFirst(2)]).toEqual([0, 0]);
  expect(tier.pins.claimNeed(slot)).toBe(false);
  tier.complete(slot);
  await called;
});

it('where a page is cleared for a large block, what the same group fills in it is not taken back', () => {
  const fills = new Fills();
  fills.beginAll(1, 1_000, pageBytes / 2);
  fills.clock.advance(500);
  expect(fills.begin(2, pageBytes / 2)).toBeDefined();
  expect(fills.takenBack).toEqual([1]);
  // the oldest is now beside it
  fills.begin(2);
  expect(fills.takenBack).toEqual([1, 1]);
});
