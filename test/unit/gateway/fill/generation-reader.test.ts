import { expect, it } from 'vitest';
import type { Loan } from '../../../../src/cache/content.ts';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { OverloadedError } from '../../../../src/gateway/fill/fill-error.ts';
import { Filler } from '../../../../src/gateway/fill/filler.ts';
import { GenerationReader } from '../../../../src/gateway/fill/generation-reader.ts';
import { ReadAhead } from '../../../../src/gateway/fill/read-ahead.ts';
import { Readers } from '../../../../src/gateway/fill/readers.ts';
import { SlotLender } from '../../../../src/gateway/fill/slot-lender.ts';
import { type AskedRange, askedRanges } from '../../../support/asked-ranges.ts';
import { EventClock } from '../../../support/event-clock.ts';

const blockBytes = 4096;
const sizeBytes = 16 * blockBytes;

function setUp(slots = 8) {
  const asked: AskedRange[] = [];
  const clock = new EventClock();
  const tier = new MemoryTier(allocateSharedMemory(slots * blockBytes, blockBytes, 1), 0);
  const readers = new Readers(slots * blockBytes);
  const filler = new Filler(tier, readers, { clock, random: () => 0.5, retried: () => undefined });
  const ahead = new ReadAhead(filler, readers, clock);
  const lender = new SlotLender(tier, 4);
  const source = askedRanges(asked, sizeBytes);
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes };
  const generation = new Generation(identity, blockBytes, tier, {
    open: (content, from, to, hasBegun) =>
      new GenerationReader(content, { from, to, hasBegun }, source, { lender, readAhead: ahead }),
    lend: (block, from, to) => lender.lend(block, from, to),
  });
  return { asked, clock, tier, filler, generation };
}

/** Somebody else fills all of the arena, or some blocks of it, until the result is called. */
function crowd(tier: MemoryTier, blocks = 8): () => void {
  const slots: number[] = [];
  for (let count = 0; count < blocks; count++) {
    const slot = tier.allocate(blockBytes, {
      contentHash: 0,
      evicted: () => undefined,
      moved: () => undefined,
    });
    if (slot !== undefined) slots.push(slot);
  }
  return () => {
    for (const slot of slots) tier.free(slot);
  };
}

it('the first byte of an answer comes, or is refused, within two seconds', async () => {
  const { asked, clock, tier, generation } = setUp();
  crowd(tier);
  const reader = generation.open(0, sizeBytes);
  const refused = expect(reader.next()).rejects.toBeInstanceOf(OverloadedError);
  for (const call of asked) call.answer().bytes(100);
  await clock.run(2_000);
  await refused;
  reader.close();
});

it('the first byte of an answer is refused when its waits for room last 1.5 s together, in however many fills', async () => {
  const { asked, clock, tier, filler, generation } = setUp();
  crowd(tier);
  const reader = generation.open(0, blockBytes);
  let isRefused = false;
  const refused = expect(
    Promise.resolve(reader.next()).catch(error => {
      isRefused = true;
      throw error;
    }),
  ).rejects.toBeInstanceOf(OverloadedError);
  for (let fill = 0; fill < 7; fill++) {
    // the store takes its time, which does not count
    await clock.run(5_000);
    expect(asked).toHaveLength(fill + 1);
    asked.at(-1)?.answer().bytes(100);
    await clock.run(200);
    filler.claiming(generation, 0)?.giveWay();
    await clock.run(0);
  }
  expect(isRefused).toBe(false);
  asked.at(-1)?.answer().bytes(100);
  await clock.run(150);
  expect(isRefused).toBe(true);
  await refused;
  reader.close();
});

it('readers whose fills take turns with one slot all get their bytes, and each block is requested once', async () => {
  const { asked, clock, tier, generation } = setUp();
  const makeRoom = crowd(tier);
  const readers = Array.from({ length: 16 }, (_, index) =>
    generation.open(index * blockBytes, (index + 1) * blockBytes),
  );
  const lengths: (number | undefined)[] = [];
  for (const reader of readers)
    void Promise.resolve(reader.next()).then(loan => {
      lengths.push(loan?.bytes.length);
      loan?.release();
    });
  for (const call of asked) call.answer().bytes(blockBytes).end();
  await clock.run(100);
  expect(lengths).toEqual([]);
  makeRoom();
  await clock.run(1_000);
  expect(lengths).toEqual(readers.map(() => blockBytes));
  expect(asked).toHaveLength(readers.length);
  for (const reader of readers) reader.close();
  expect(tier.pins.heldSlots).toBe(0);
});

it('a reader gets its block although the next one, which arrives with it, takes its slot', async () => {
  const { asked, tier, generation } = setUp(16);
  crowd(tier, 15);
  const reader = generation.open(0, 2 * blockBytes);
  const first = reader.next();
  asked[0]
    ?.answer()
    .bytes(2 * blockBytes)
    .end();
  expect((await first)?.bytes.length).toBe(blockBytes);
  expect(asked).toHaveLength(1);
  reader.close();
});

it('what has arrived for a reader that closes before it takes it is released', async () => {
  const { asked, tier, generation } = setUp();
  const reader = generation.open(0, blockBytes);
  const next = reader.next();
  asked[0]?.answer().bytes(blockBytes).end();
  expect(tier.pins.heldSlots).toBe(1);
  reader.close();
  expect(await next).toBeUndefined();
  expect(tier.pins.heldSlots).toBe(0);
});

it('an answer that has begun waits for room for as long as it takes', async () => {
  const { asked, clock, tier, generation } = setUp();
  const makeRoom = crowd(tier);
  const reader = generation.open(blockBytes, sizeBytes, true);
  const next = Promise.resolve(reader.next());
  let loan: Loan | undefined;
  void next.then(lent => {
    loan = lent;
  });
  asked[0]?.answer().bytes(100);
  await clock.run(60_000);
  expect(loan).toBeUndefined();
  makeRoom();
  await clock.run(100);
  asked.at(-1)?.answer().bytes(100);
  expect((await next)?.bytes.length).toBe(100);
  reader.close();
});

it('an answer that has begun waits also where too many wait already, and a new one is refused', async () => {
  const { asked, clock, tier, generation } = setUp();
  const forget = Array.from({ length: 256 }, () => tier.whenFreed(() => undefined));
  await expect(generation.open(0, sizeBytes).next()).rejects.toBeInstanceOf(OverloadedError);
  const next = generation.open(0, sizeBytes, true).next();
  await clock.run(1_000);
  expect(asked).toEqual([]);
  for (const one of forget) one();
  await clock.run(100);
  asked[0]?.answer().bytes(100);
  expect((await next)?.bytes.length).toBe(100);
});

it('blocks that were fetched ahead of a reader who stalls are the first to go', async () => {
  const { asked, clock, tier, generation } = setUp();
  const reader = generation.open(0, sizeBytes);
  const first = reader.next();
  for (const call of asked)
    call
      .answer()
      .bytes(call.to - call.from)
      .end();
  await first;
  const ahead = [1, 2, 3].map(index => generation.blockAt(index * blockBytes)?.slot);
  expect(ahead).not.toContain(undefined);
  await clock.run(6_000);
  const taken: (number | undefined)[] = [];
  for (let count = 0; count < 4 + ahead.length; count++) {
    const slot = tier.allocate(blockBytes, {
      contentHash: count,
      evicted: () => undefined,
      moved: () => undefined,
    });
    taken.push(slot);
    if (slot === undefined) continue;
    tier.complete(slot);
    tier.read(slot);
  }
  expect(taken.slice(4).sort(), 'after the free ones, and before what has been read').toEqual(ahead.sort());
});

it.each([
  ['whose reader is still in it', 'last', false],
  ['whose reader has left it', 'first', true],
])('of blocks of which something was read, one %s is evicted %s', async (_which, order, leaves) => {
  const { asked, tier, generation } = setUp();
  const reader = generation.open(0, blockBytes);
  const first = reader.next();
  asked[0]?.answer().bytes(100);
  (await first)?.release();
  asked[0]?.bytes(blockBytes - 100).end();
  const own = generation.blockAt(0)?.slot;
  if (leaves) reader.close();
  for (let count = 0; count < 7; count++) {
    const slot =
      tier.allocate(blockBytes, { contentHash: count, evicted: () => undefined, moved: () => undefined }) ??
      Number.NaN;
    tier.complete(slot);
    tier.read(slot);
  }
  const evicted = tier.allocate(blockBytes, {
    contentHash: 7,
    evicted: () => undefined,
    moved: () => undefined,
  });
  expect(evicted === own ? 'first' : 'last').toBe(order);
  if (!leaves) reader.close();
});
