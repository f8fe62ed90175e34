import { expect, it } from 'vitest';
import { EvictionQueue } from '../../../src/cache/eviction-queue.ts';
import { PageSearch, pageLoss } from '../../../src/cache/page-search.ts';
import { PageTable } from '../../../src/cache/page-table.ts';
import { MAX_SLOTS_PER_PAGE, sizeClassCount } from '../../../src/cache/size-class.ts';
import { SlotLinks } from '../../../src/cache/slot-queue.ts';
import { UnreadShare } from '../../../src/cache/unread-share.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const anyLoss = pageLoss.inUse - 1;

/** `count` pages with one slot each, all of them filled, in the order of their numbers, and not read again. */
function searchOf(count: number) {
  const links = new SlotLinks(count * MAX_SLOTS_PER_PAGE);
  const pages = new PageTable(count, links, new ManualClock());
  const inMain = new Uint8Array(count * MAX_SLOTS_PER_PAGE);
  const unread = new Set<number>();
  const inUse = new Set<number>();
  const state = {
    takeVisited: () => false,
    isHeld: () => false,
    isUnread: (slot: number) => unread.has(slot),
    contentHash: (slot: number) => slot,
  };
  const queues = Array.from(
    { length: sizeClassCount },
    () => new EvictionQueue(links, inMain, state, new UnreadShare(count), 1),
  );
  const slots = Array.from({ length: count }, () => pages.take(0, () => false) ?? Number.NaN);
  for (const slot of slots) queues[0]?.insert(slot);
  const setup = { looks: 0 };
  const search = new PageSearch(queues, pages, inMain, slot => {
    setup.looks++;
    return inUse.has(slot);
  });
  return Object.assign(setup, { search, slots, inUse, unread, inMain, pages });
}

it('of pages that lose nothing it is the one that was filled first', () => {
  const { search, slots, inUse } = searchOf(10);
  for (const slot of slots.slice(0, 3)) inUse.add(slot);
  expect(search.find(anyLoss)).toBe(slots[3]);
});

it('a page with less to lose comes first, however new', () => {
  const { search, slots, unread, inMain } = searchOf(10);
  for (const slot of slots.slice(0, 9)) unread.add(slot);
  expect(search.find(anyLoss)).toBe(slots[9]);
  for (const slot of slots.slice(5)) inMain[slot] = 1;
  expect(search.find(pageLoss.nothing), 'all have something to lose').toBeUndefined();
  expect(search.find(anyLoss), 'read again, in a class with many pages').toBe(slots[5]);
});

it('a page with more to lose does not come before one with less, however old', () => {
  const { search, slots, unread, pages } = searchOf(10);
  for (const slot of slots.slice(1)) unread.add(slot);
  pages.renew(slots[0] ?? 0);
  expect(search.find(anyLoss)).toBe(slots[0]);
});

it('where all is in use, a search looks at few pages, and the next one goes on behind them', () => {
  const setup = searchOf(1_000);
  for (const slot of setup.slots) setup.inUse.add(slot);
  setup.inUse.delete(setup.slots[999] ?? 0);
  let searches = 1;
  while (setup.search.find(anyLoss) === undefined && searches < 100) {
    expect(setup.looks).toBeLessThanOrEqual(128 * searches);
    searches++;
  }
  expect(searches).toBe(8);
});

it('it looks further to lose less, but not at everything', () => {
  const setup = searchOf(10_000);
  for (const slot of setup.slots) setup.inMain[slot] = 1;
  setup.inMain[setup.slots[500] ?? 0] = 0;
  expect(setup.search.find(anyLoss)).toBe(setup.slots[500]);
  const before = setup.looks;
  expect(setup.search.find(anyLoss)).toBe(setup.slots[501]);
  expect(setup.looks - before).toBe(1_024);
});
