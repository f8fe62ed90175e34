import { expect, it } from 'vitest';
import { EvictionQueue } from '../../../src/cache/eviction-queue.ts';
import { RunTable } from '../../../src/cache/run-table.ts';

/** A queue for `slots` runs of one granule each. */
function queueOf(slots: number) {
  const visits = new Map<number, number>();
  const held = new Set<number>();
  const unread = new Set<number>();
  const contents = new Map<number, number>();
  const setup = { looks: 0, length: 0 };
  const runs = new RunTable(slots, 1);
  for (let slot = 0; slot < slots; slot++) runs.create(slot, 1);
  const state = {
    visits: (slot: number) => visits.get(slot) ?? 0,
    setVisits: (slot: number, count: number) => visits.set(slot, count),
    isHeld: (slot: number) => {
      setup.looks++;
      return held.has(slot);
    },
    isUnread: (slot: number) => unread.has(slot),
    wasRead: (slot: number) => unread.delete(slot),
    contentHash: (slot: number) => contents.get(slot) ?? slot,
  };
  const queue = new EvictionQueue(runs, state);
  /** What is read so often goes on to the main queue. */
  const visited = { add: (slot: number) => visits.set(slot, 2) };
  return Object.assign(setup, { queue, visited, visits, held, unread, contents });
}

/** Inserts `content`, evicting another where the queue is full; returns the slot it went to. */
function load(setup: ReturnType<typeof queueOf>, content: number, capacity: number): number {
  const { queue, contents } = setup;
  let slot = setup.length;
  if (setup.length >= capacity) {
    slot = queue.peek() ?? Number.NaN;
    queue.evict(slot);
  } else setup.length++;
  contents.set(slot, content);
  setup.visits.delete(slot);
  queue.insert(slot);
  return slot;
}

it('keeps what is read again through a scan of things read once', () => {
  const capacity = 100;
  const setup = queueOf(capacity);
  const hot = Array.from({ length: 50 }, (_, content) => load(setup, content, capacity));
  for (let content = 1000; content < 3000; content++) {
    for (const slot of hot) setup.visited.add(slot);
    load(setup, content, capacity);
  }
  const kept = hot.filter((slot, content) => setup.contents.get(slot) === content);
  expect(kept.length).toBe(50);
});

it('takes back what it evicted too early, for good', () => {
  const setup = queueOf(10);
  for (let content = 0; content < 12; content++) load(setup, content, 10);
  const evicted = [0, 1].filter(content => ![...setup.contents.values()].includes(content));
  expect(evicted.length).toBe(2);
  const slot = load(setup, 0, 10);
  // many more than there are slots
  for (let content = 100; content < 200; content++) load(setup, content, 10);
  expect(setup.contents.get(slot)).toBe(0);
  const forgotten = load(setup, 2, 10);
  for (let content = 200; content < 300; content++) load(setup, content, 10);
  expect(setup.contents.get(forgotten), 'evicted too long ago').not.toBe(2);
});

it('never offers a slot that is being read', () => {
  const setup = queueOf(3);
  for (let content = 0; content < 3; content++) load(setup, content, 3);
  setup.held.add(0).add(1).add(2);
  expect(setup.queue.peek()).toBeUndefined();
  setup.held.delete(1);
  expect(setup.queue.peek()).toBe(1);
});

it('slots on trial that are all being read do not stand in the way of those that nobody reads', () => {
  const setup = queueOf(10);
  for (let content = 0; content < 10; content++) load(setup, content, 10);
  for (let slot = 0; slot < 6; slot++) setup.visited.add(slot);
  setup.held.add(6).add(7).add(8).add(9);
  expect(setup.queue.peek(), 'the first six have moved up').toBe(0);
  setup.held.add(0);
  expect(setup.queue.peek()).toBe(1);
});

it('slots read again that are all being read do not stand in the way of those on trial', () => {
  const capacity = 40;
  const setup = queueOf(capacity);
  for (let content = 0; content < capacity; content++) load(setup, content, capacity);
  for (let slot = 0; slot < 38; slot++) setup.visited.add(slot);
  setup.queue.peek();
  for (let slot = 0; slot < 38; slot++) setup.held.add(slot);
  expect(setup.queue.peek()).toBe(38);
});

it('gives up what has been read once before what is still to be read', () => {
  const capacity = 100;
  const setup = queueOf(capacity);
  const read = (slot: number) => {
    if (!setup.unread.delete(slot)) setup.visited.add(slot);
    else setup.queue.firstRead(slot);
  };
  const hot = Array.from({ length: capacity }, (_, content) => load(setup, content, capacity));
  for (const slot of hot) setup.visited.add(slot);
  const ahead: number[] = [];
  for (let content = 1000; content < 3000; content++) {
    const slot = setup.queue.peek() ?? Number.NaN;
    setup.queue.evict(slot);
    expect(ahead, 'nobody has read it yet').not.toContain(slot);
    setup.contents.set(slot, content);
    setup.unread.add(slot);
    setup.queue.insert(slot);
    ahead.push(slot);
    if (ahead.length > 40) read(ahead.shift() ?? Number.NaN);
  }
});

it('gives up what has been read once also where something older is still to be read', () => {
  const setup = queueOf(10);
  for (const content of [0, 1, 2]) setup.unread.add(content);
  for (let content = 0; content < 10; content++) load(setup, content, 10);
  expect(setup.queue.peek()).toBe(3);
  for (let slot = 3; slot < 10; slot++) setup.held.add(slot);
  expect(setup.queue.peek(), 'there is nothing else').toBe(0);
});

it('slots that are being filled, and so are in no queue, count when it is asked how many may be spared unread', () => {
  const setup = queueOf(16);
  for (let content = 5; content < 12; content++) setup.unread.add(content);
  for (let content = 0; content < 5; content++) load(setup, content, 16);
  for (let slot = 0; slot < 4; slot++) setup.visited.add(slot);
  for (let content = 5; content < 12; content++) load(setup, content, 16);
  for (let evicted = 0; evicted < 5; evicted++) {
    const victim = setup.queue.peek() ?? Number.NaN;
    expect(setup.unread.has(victim)).toBe(false);
    setup.queue.evict(victim);
  }
});

it('what nobody comes for is the first to go', () => {
  const setup = queueOf(10);
  for (const content of [7, 8, 9]) setup.unread.add(content);
  for (let content = 0; content < 10; content++) load(setup, content, 10);
  for (let slot = 0; slot < 7; slot++) setup.visited.add(slot);
  expect(setup.queue.peek(), 'those ahead are spared').toBe(0);
  setup.unread.delete(8);
  setup.queue.demote(8);
  setup.unread.delete(9);
  setup.queue.demote(9);
  expect(setup.queue.peek()).toBe(9);
  setup.queue.evict(9);
  expect(setup.queue.peek()).toBe(8);
});

it('what nobody comes for is the first to go also if it was known', () => {
  const setup = queueOf(10);
  for (let content = 0; content < 11; content++) load(setup, content, 10);
  setup.unread.add(1);
  const known = load(setup, 0, 10);
  expect(known).toBe(1);
  setup.unread.delete(1);
  setup.queue.demote(1);
  expect(setup.queue.peek()).toBe(1);
});

it('what comes back is among what was read again when it has been read, and not before', () => {
  const setup = queueOf(10);
  for (let content = 0; content < 11; content++) load(setup, content, 10);
  setup.unread.add(1);
  load(setup, 0, 10);
  expect(setup.queue.isMain(1)).toBe(false);
  setup.unread.delete(1);
  setup.queue.firstRead(1);
  expect(setup.queue.isMain(1)).toBe(true);
});

it('what readers hold of what was read again counts as new until they leave it', () => {
  const setup = queueOf(10);
  for (let content = 0; content < 10; content++) load(setup, content, 10);
  for (let slot = 0; slot < 10; slot++) setup.visited.add(slot);
  expect(setup.queue.peek(), 'all move up').toBe(0);
  for (let slot = 0; slot < 5; slot++) setup.held.add(slot);
  expect(setup.queue.peek()).toBe(5);
  const held = [0, 1, 2, 3, 4];
  expect(held.filter(slot => setup.queue.isMain(slot))).toEqual([]);
  setup.held.clear();
  setup.queue.peek();
  const back = held.filter(slot => setup.queue.isMain(slot));
  expect(back, 'they were read again; a tenth is not looked at').toEqual([0, 1, 2, 3]);
});

it('what nobody ever reads takes no more than half', () => {
  const capacity = 100;
  const setup = queueOf(capacity);
  const hot = Array.from({ length: capacity }, (_, content) => load(setup, content, capacity));
  for (let content = 1000; content < 3000; content++) {
    for (const [content, slot] of hot.entries())
      if (setup.contents.get(slot) === content) setup.visited.add(slot);
    const slot = setup.queue.peek() ?? Number.NaN;
    setup.queue.evict(slot);
    setup.contents.set(slot, content);
    setup.visits.delete(slot);
    setup.unread.add(slot);
    setup.queue.insert(slot);
  }
  const kept = hot.filter((slot, content) => setup.contents.get(slot) === content);
  expect(kept.length).toBeGreaterThanOrEqual(35);
});

it.each([
  ['once', 1, 'small'],
  ['twice', 2, 'main'],
])(
  'what its owner takes for unread and others have read %s is among the read ones',
  (_often, reads, queue) => {
    const setup = queueOf(10);
    const add = (content: number, isUnread: boolean) => {
      if (isUnread) setup.unread.add(content);
      return load(setup, content, 10);
    };
    const [told, unread] = [add(0, true), add(1, true)];
    setup.visits.set(told, reads);
    // nothing else is there, so the unread have their turn
    expect(setup.queue.peek()).toBe(unread);
    expect([...setup.unread]).toEqual([unread]);
    setup.queue.evict(unread);
    const others = [2, 3, 4].map(content => add(content, false));
    for (const other of others) setup.visits.set(other, 0);
    const first = setup.queue.peek() ?? -1;
    expect(first === told, 'it is the oldest of those that were read once').toBe(queue === 'small');
  },
);

it('what comes back, and others read from what is told, was read again', () => {
  const setup = queueOf(10);
  load(setup, 0, 10);
  setup.queue.evict(0);
  setup.unread.add(0).add(1);
  setup.queue.insert(0);
  load(setup, 1, 10);
  setup.held.add(0);
  expect(setup.queue.peek(), 'held meanwhile').toBe(1);
  setup.held.clear();
  setup.visits.set(0, 1);
  setup.queue.evict(1);
  setup.queue.peek();
  expect(setup.queue.isMain(0)).toBe(true);
});

it('beyond half of the memory what is still to be read goes before what was read again', () => {
  const setup = queueOf(10);
  for (let content = 0; content < 4; content++) load(setup, content, 10);
  for (let slot = 0; slot < 4; slot++) setup.visited.add(slot);
  setup.queue.peek();
  for (let content = 4; content < 9; content++) {
    setup.unread.add(content);
    load(setup, content, 10);
  }
  expect(setup.queue.peek(), 'half').toBe(0);
  setup.unread.add(9);
  load(setup, 9, 10);
  expect(setup.queue.peek(), 'more than half').toBe(4);
  for (let slot = 4; slot < 10; slot++) setup.held.add(slot);
  expect(setup.queue.peek(), 'all of it is being read').toBe(0);
});

it.each(['are being read', 'are still to be read'])(
  'a search looks at few slots, however many %s, and later ones come to the rest',
  why => {
    const slots = 10_000;
    const setup = queueOf(slots);
    const last = slots - 1;
    if (why === 'are still to be read') for (let slot = 0; slot < last; slot++) setup.unread.add(slot);
    for (let content = 0; content < slots; content++) load(setup, content, slots);
    for (let slot = 0; slot < last; slot++) setup.held.add(slot);
    let found: number | undefined;
    for (let search = 0; search < 1_000 && found === undefined; search++) {
      const before = setup.looks;
      found = setup.queue.peek();
      expect(setup.looks - before).toBeLessThanOrEqual(256);
    }
    expect(found).toBe(last);
  },
);
