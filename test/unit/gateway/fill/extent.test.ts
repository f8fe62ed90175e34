import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { BlockWriter } from '../../../../src/gateway/fill/block-writer.ts';
import { Extent, type ExtentOwner } from '../../../../src/gateway/fill/extent.ts';
import { OverloadedError, RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import { type AskedRange, askedRanges } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const blockBytes = 4096;
const sizeBytes = 4 * blockBytes;

let asked: AskedRange[];
let clock: ManualClock;
let generation: Generation;
let slotFreed: Set<() => void>;
let ended: Extent[];
let pace: 'go' | 'hold' | 'stop';
let isWanted: boolean;
let lacksRoom: boolean;
let hasRetries: boolean;
let answeredWhole: Extent[];

beforeEach(() => {
  asked = [];
  slotFreed = new Set();
  [ended, answeredWhole] = [[], []];
  pace = 'go';
  isWanted = true;
  lacksRoom = false;
  hasRetries = true;
  clock = new ManualClock();
  generation = newGeneration();
});

function newGeneration(
  tier = new MemoryTier(allocateSharedMemory(16 * blockBytes, blockBytes, 1), 0),
): Generation {
  const identity = {
    objectKey: 'b\nk\no',
    versionId: undefined,
    entityTag: '"t"',
    sizeBytes,
  };
  const unused = () => {
    throw new Error('nothing is read here');
  };
  return new Generation(identity, blockBytes, tier, {
    open: unused,
    lend: unused,
  });
}

function extent(from: number, to: number): Extent {
  const surroundings = {
    clock,
    random: () => 0.5,
    slots: {
      whenFreed: (callback: () => void) => {
        slotFreed.add(callback);
        return () => slotFreed.delete(callback);
      },
      waitingFirst: () => (lacksRoom ? 1 : 0),
    },
    retried: () => undefined,
    readers: { pace: () => pace, isWanted: () => isWanted, isWantedSoon: () => isWanted },
  };
  const keeper: ExtentOwner = {
    ended: one => ended.push(one),
    answeredWhole: one => {
      answeredWhole.push(one);
      return undefined;
    },
  };
  const source = askedRanges(asked, sizeBytes, () => hasRetries);
  return new Extent(new BlockWriter(generation, from, to), source, surroundings, keeper);
}

function last(): AskedRange {
  const call = asked.at(-1);
  if (!call) throw new Error('the store was not asked');
  return call;
}

/** Lets no block be opened until the result is called. */
function withoutRoom(): () => void {
  const openBlock = generation.openBlock.bind(generation);
  generation.openBlock = () => false;
  return () => {
    generation.openBlock = openBlock;
  };
}

/** Whether `promise` is kept by now. */
async function isKept(promise: Promise<void>): Promise<boolean> {
  let kept = false;
  void promise.then(() => {
    kept = true;
  });
  await new Promise(resolve => setImmediate(resolve));
  return kept;
}

it('wakes whoever waits for a byte as soon as it is there', async () => {
  const one = extent(0, sizeBytes);
  one.start();
  const near = one.reached(10);
  const far = one.reached(2000);
  last().answer().bytes(100);
  expect(await isKept(near)).toBe(true);
  expect(await isKept(far)).toBe(false);
  last().bytes(1901);
  expect(await isKept(far)).toBe(true);
});

it('whoever wants a byte in front of it, in the block that it writes into, waits until that block is done', async () => {
  const one = extent(1000, sizeBytes);
  one.start();
  last().answer().bytes(500);
  expect(one.blocks.claims(10)).toBe(true);
  const before = one.reached(10);
  expect(await isKept(before)).toBe(false);
  last().bytes(blockBytes - 1500);
  expect(await isKept(before)).toBe(true);
  expect(one.blocks.claims(10)).toBe(false);
});

it('is not asked for again when the store has no repeats left', async () => {
  hasRetries = false;
  const one = extent(0, sizeBytes);
  one.start();
  const waiting = one.reached(6000);
  last().answer().bytes(5000).breakOff();
  clock.advance(60_000);
  await expect(waiting).rejects.toMatchObject({ code: 'BROKEN' });
  expect([asked.length, ended]).toEqual([1, [one]]);
});

it('resumes at the byte where a transfer broke', () => {
  const one = extent(0, sizeBytes);
  one.start();
  last().answer().bytes(5000).breakOff();
  clock.advance(0);
  expect(last()).toMatchObject({ from: 5000, to: sizeBytes });
  last()
    .answer()
    .bytes(sizeBytes - 5000)
    .end();
  expect(ended).toEqual([one]);
  expect(generation.heldBytes).toBe(sizeBytes);
});

it('gives up after five tries that bring nothing, and tells those who wait', async () => {
  const one = extent(0, sizeBytes);
  one.start();
  const waits = expect(one.reached(0)).rejects.toThrow('cut');
  for (let tries = 0; tries < 6; tries++) {
    last().breakOff();
    clock.advance(1000);
  }
  await waits;
  expect(asked).toHaveLength(6);
  await expect(one.reached(0)).rejects.toThrow('cut');
});

it('does not ask again after a refusal that will not pass', async () => {
  const one = extent(0, sizeBytes);
  one.start();
  const waits = expect(one.reached(0)).rejects.toBeInstanceOf(RefusedByStoreError);
  last().refuse(403);
  await waits;
  expect(asked).toHaveLength(1);
});

it.each<[string, (one: Extent) => void]>([
  ['gives way to another', one => one.giveWay()],
  ['hands its transfer over', one => one.handOver()],
  [
    'fails',
    () => {
      last().breakOff();
      clock.advance(1_000);
      last().refuse(403);
    },
  ],
])('closes the block that it is filling when it %s, and the block keeps what has arrived', (_, end) => {
  const one = extent(0, sizeBytes);
  one.start();
  last().answer().bytes(600);
  expect(generation.blockAt(0)?.isFilling).toBe(true);
  end(one);
  expect(ended).toEqual([one]);
  expect([generation.blockAt(0)?.isFilling, generation.availableUntil(0)]).toEqual([false, 600]);
});

it('holds the store back while there is no room, and goes on when there is', () => {
  const one = extent(0, blockBytes);
  one.start();
  const makeRoom = withoutRoom();
  last().answer().bytes(100);
  expect(last().state).toBe('paused');
  makeRoom();
  for (const callback of [...slotFreed]) callback();
  expect(last().state).toBe('running');
  expect(one.blocks.position).toBe(100);
  expect(generation.blockAt(0)?.bytes(0, 100), 'as they were when they arrived').toEqual(
    Buffer.alloc(100, 7),
  );
});

it('waits for room once, however often there is none, and not when it is over', () => {
  const one = extent(0, blockBytes);
  one.start();
  withoutRoom();
  last().answer().bytes(100);
  for (let round = 0; round < 5; round++) {
    for (const callback of [...slotFreed]) callback();
    clock.advance(60);
    expect(slotFreed.size).toBe(1);
  }
  one.stopSoon();
  expect(slotFreed.size).toBe(0);
});

it('refuses the first byte of an answer after 1.5 s without room, and at once from then on', async () => {
  const one = extent(0, 2 * blockBytes);
  one.start();
  withoutRoom();
  last().answer().bytes(100);
  const first = one.reached(0, 1_500);
  const more = one.reached(0);
  clock.advance(1_400);
  expect(await isKept(first.catch(() => undefined))).toBe(false);
  clock.advance(100);
  await expect(first).rejects.toBeInstanceOf(OverloadedError);
  expect(await isKept(more.catch(() => undefined)), 'an answer that has begun waits').toBe(false);
  await expect(one.reached(0, 1_500)).rejects.toBeInstanceOf(OverloadedError);
  expect(ended).toEqual([]);
});

it('counts the waits of a reader for room together, though its fill had a slot in between that was taken back', async () => {
  const one = extent(0, blockBytes);
  one.start();
  const makeRoom = withoutRoom();
  last().answer().bytes(100);
  const first = one.reached(0, 1_500);
  clock.advance(1_000);
  makeRoom();
  const opened = vi.spyOn(generation, 'openBlock');
  clock.advance(50);
  expect(asked, 'of the store again, once there is room').toHaveLength(2);
  const [[, takeBack] = []] = opened.mock.calls;
  takeBack?.();
  withoutRoom();
  clock.advance(60_000);
  last().answer().bytes(100);
  clock.advance(400);
  expect(await isKept(first.catch(() => undefined))).toBe(false);
  clock.advance(50);
  await expect(first).rejects.toBeInstanceOf(OverloadedError);
});

it('does not refuse a reader that must not wait for room any more while there is room', async () => {
  const one = extent(0, blockBytes);
  one.start();
  const makeRoom = withoutRoom();
  last().answer().bytes(100);
  makeRoom();
  clock.advance(50);
  const next = one.reached(100, 0);
  last().bytes(1);
  expect(await isKept(next)).toBe(true);
});

it('gives its connection back after a second without room, and asks for the rest when there is room', () => {
  const one = extent(0, 2 * blockBytes);
  one.start();
  last()
    .answer()
    .bytes(blockBytes - 10);
  const makeRoom = withoutRoom();
  last().bytes(100);
  clock.advance(950);
  expect(last().state).toBe('paused');
  clock.advance(100);
  expect(last().state).toBe('aborted');
  clock.advance(5_000);
  expect(asked).toHaveLength(1);
  makeRoom();
  clock.advance(50);
  expect(last()).toMatchObject({ from: blockBytes, to: 2 * blockBytes, state: 'running' });
  last().answer().bytes(blockBytes).end();
  expect(ended).toEqual([one]);
  expect(generation.heldBytes).toBe(2 * blockBytes);
});

it('a transfer that breaks while there is no room is not asked for again before there is', () => {
  const one = extent(0, blockBytes);
  one.start();
  const makeRoom = withoutRoom();
  last().answer().bytes(100);
  last().breakOff();
  clock.advance(500);
  expect(asked).toHaveLength(1);
  makeRoom();
  clock.advance(50);
  expect(last()).toMatchObject({ from: 0, to: blockBytes });
  expect(asked).toHaveLength(2);
});

it('what all has come of needs no connection: it waits for room as it is', () => {
  const one = extent(0, blockBytes);
  one.start();
  const makeRoom = withoutRoom();
  last().answer().bytes(blockBytes).end();
  clock.advance(60_000);
  expect(ended).toEqual([]);
  makeRoom();
  clock.advance(50);
  expect(ended).toEqual([one]);
  expect(asked).toHaveLength(1);
  expect(generation.heldBytes).toBe(blockBytes);
});

it('ends after a second without room when those who wanted it have stalled', () => {
  const one = extent(0, blockBytes);
  one.start();
  withoutRoom();
  last().answer().bytes(100);
  isWanted = false;
  clock.advance(1_050);
  expect(ended).toEqual([one]);
  expect(last().state).toBe('aborted');
  expect(slotFreed.size).toBe(0);
});

it('takes no room while others for whom readers wait lack it, unless a reader waits for it as well', () => {
  const one = extent(0, blockBytes);
  one.start();
  lacksRoom = true;
  last().answer().bytes(100);
  expect(one.blocks.hasWritten).toBe(false);
  void one.reached(0);
  clock.advance(50);
  expect(one.blocks.hasWritten).toBe(true);
});

it('lets a transfer whose last bytes waited for room come to its end', () => {
  const one = extent(0, blockBytes);
  one.start();
  const makeRoom = withoutRoom();
  last().answer().bytes(blockBytes);
  expect(last().state).toBe('paused');
  makeRoom();
  for (const callback of [...slotFreed]) callback();
  expect(ended).toEqual([one]);
  expect(last().state).toBe('running');
});

it('ends with the block that is arriving once nobody wants the rest, and gives the transfer up', () => {
  const one = extent(0, sizeBytes);
  one.start();
  last().answer().bytes(100);
  one.stopSoon();
  expect(ended).toEqual([]);
  last().bytes(blockBytes - 100);
  expect(ended).toEqual([one]);
  expect(last().state).toBe('aborted');
});

it('asks for nothing again when nobody wants it any more by the end of the pause', () => {
  const one = extent(0, blockBytes);
  one.start();
  last().breakOff();
  one.stopSoon();
  expect(ended).toEqual([one]);
  clock.advance(60_000);
  expect(asked).toHaveLength(1);
});

it.each([false, true])(
  'a store that sends all of the content brings it to nobody, once nobody wants it (%s)',
  isOver => {
    const one = extent(0, blockBytes);
    one.start();
    if (isOver) one.stopSoon();
    last().answerWhole();
    expect(answeredWhole).toEqual(isOver ? [] : [one]);
  },
);

it.each([
  ['ends after a second, where nobody reads it', false],
  ['goes on for a reader', true],
])('a transfer that was taken over %s', (_, isRead) => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, false);
  last().answer().bytes(blockBytes);
  isWanted = isRead;
  clock.advance(999);
  expect(ended).toEqual([]);
  clock.advance(1);
  expect(ended).toEqual(isRead ? [] : [one]);
  expect(last().state).toBe(isRead ? 'running' : 'aborted');
});

it('gives up a block that nobody wants when it does not arrive within a second, and keeps what has', () => {
  const one = extent(0, sizeBytes);
  one.start();
  last().answer().bytes(100);
  isWanted = false;
  one.stopSoon();
  clock.advance(999);
  expect(ended).toEqual([]);
  clock.advance(1);
  expect(ended).toEqual([one]);
  expect(last().state).toBe('aborted');
  expect(generation.availableUntil(0)).toBe(100);
});

it('does not go on for the sake of a reader that left while it waited', async () => {
  const one = extent(0, sizeBytes);
  const reader = { arrived: () => undefined };
  const wait = one.reached(blockBytes - 1, 1_500, reader);
  one.start();
  last().answer().bytes(100);
  isWanted = false;
  one.left(reader);
  one.stopSoon();
  await wait;
  clock.advance(1_000);
  expect(ended).toEqual([one]);
});

it('goes on with a block that somebody wants again', () => {
  const one = extent(0, sizeBytes);
  one.start();
  last().answer().bytes(100);
  one.stopSoon();
  clock.advance(10_000);
  expect(ended).toEqual([]);
});

it('gives up a block that nobody wants at once when others lack room', () => {
  const one = extent(0, sizeBytes);
  one.start();
  last().answer().bytes(100);
  lacksRoom = true;
  one.stopSoon();
  expect(ended).toEqual([one]);
});

it('gives up a transfer that nobody wants while it waits for room, be it the last block', () => {
  const one = extent(0, blockBytes);
  one.start();
  withoutRoom();
  last().answer().bytes(100);
  one.stopSoon();
  expect(ended).toEqual([one]);
  expect(last().state).toBe('aborted');
});

it('leaves the connection alone when all that was asked for has come', () => {
  const one = extent(0, blockBytes);
  one.start();
  last().answer().bytes(blockBytes).end();
  expect(last().state).toBe('running');
  expect(ended).toEqual([one]);
});

it('a transfer of all of the content waits for its readers before it begins a block, also for another try', () => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, true);
  pace = 'hold';
  last().answer().bytes(blockBytes);
  expect(last().state).toBe('paused');
  expect(one.blocks.position).toBe(0);
  last().breakOff();
  clock.advance(60_000);
  expect(asked).toHaveLength(1);
  one.readerAdvanced();
  expect(asked, 'no reader is near enough').toHaveLength(1);
  pace = 'go';
  one.readerAdvanced();
  last().answer().bytes(blockBytes);
  expect(one.blocks.position).toBe(blockBytes);
});

it('a transfer of all of the content whose readers came in time keeps its connection', () => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, true);
  pace = 'hold';
  last().answer().bytes(blockBytes);
  clock.advance(9_900);
  pace = 'go';
  one.readerAdvanced();
  clock.advance(60_000);
  expect(last().state).toBe('running');
});

it('a transfer of all of the content that breaks after its readers came is requested again without another reader', () => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, true);
  pace = 'hold';
  last().answer().bytes(blockBytes);
  pace = 'go';
  one.readerAdvanced();
  last().breakOff();
  clock.advance(1_000);
  expect(asked.map(({ from }) => from)).toEqual([0, blockBytes]);
});

it('a transfer of all of the content gives its connection back when its readers do not come for ten seconds', () => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, true);
  pace = 'hold';
  last().answer().bytes(blockBytes);
  clock.advance(9_900);
  expect(last().state).toBe('paused');
  clock.advance(100);
  expect(last().state).toBe('aborted');
  pace = 'go';
  one.readerAdvanced();
  expect(asked).toHaveLength(2);
  clock.advance(60_000);
  expect(last().state).toBe('running');
});

it('a transfer of all of the content that nobody reads is given up between two blocks', () => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, true);
  last().answer().bytes(blockBytes);
  pace = 'stop';
  last().bytes(10);
  expect(ended).toEqual([one]);
  expect(last().state).toBe('aborted');
  expect(generation.heldBytes).toBe(blockBytes);
});

it('passes over blocks that are held or that others write into', () => {
  generation.openBlock(0);
  generation.write(0, Buffer.alloc(blockBytes, 7));
  generation.closeBlock(0);
  generation.openBlock(blockBytes);
  const one = extent(0, sizeBytes);
  one.start();
  last()
    .answer()
    .bytes(3 * blockBytes);
  generation.write(blockBytes, Buffer.alloc(blockBytes, 8));
  generation.closeBlock(blockBytes);
  last().bytes(blockBytes).end();
  expect(ended).toEqual([one]);
  expect(generation.heldBytes).toBe(sizeBytes);
  expect(
    generation
      .blockAt(blockBytes)
      ?.bytes(0, blockBytes)
      .every(byte => byte === 8),
  ).toBe(true);
});

it('is not waiting for room any more when others have begun the block that its bytes waited for', () => {
  const one = extent(0, sizeBytes);
  one.start();
  one.adopt(last(), sizeBytes, true);
  const makeRoom = withoutRoom();
  last().answer().bytes(blockBytes);
  makeRoom();
  generation.openBlock(0);
  clock.advance(50);
  expect(last().state).toBe('running');
  clock.advance(60_000);
  expect(one.slotWaitMs).toBe(50);
  last().breakOff();
  clock.advance(1_000);
  expect(asked.map(({ from }) => from)).toEqual([0, blockBytes]);
});

it('who waits for a byte of a block that is passed over waits until it is behind', async () => {
  generation.openBlock(blockBytes);
  const one = extent(0, sizeBytes);
  one.start();
  last()
    .answer()
    .bytes(blockBytes + 100);
  const waits = one.reached(blockBytes + 10);
  expect(await isKept(waits)).toBe(false);
  last().bytes(blockBytes);
  expect(await isKept(waits)).toBe(true);
});

describe('a slot that is taken back for another store', () => {
  let tier: MemoryTier;
  let one: Extent;

  /** Store number `store` fills a block. */
  function fillOther(store: number): number {
    return (
      tier.allocate(
        blockBytes,
        { contentHash: 0, evicted: () => undefined, moved: () => undefined },
        store,
      ) ?? -1
    );
  }

  beforeEach(() => {
    const stores = 8;
    tier = new MemoryTier(allocateSharedMemory(stores * blockBytes, blockBytes, 1), 0, clock);
    generation = newGeneration(tier);
    one = extent(0, blockBytes);
    one.start();
    last().answer().bytes(1000);
    for (let store = 1; store < stores; store++) fillOther(store);
    clock.advance(500);
    tier.complete(fillOther(stores));
    expect(generation.heldBytes).toBe(0);
  });

  it('is followed by another one, with the bytes that come next', () => {
    last().bytes(1000);
    expect(generation.heldBytes).toBe(1000);
    last().bytes(blockBytes - 2000);
    expect(generation.heldBytes).toBe(blockBytes - 1000);
    expect(ended).toEqual([one]);
    expect(asked).toHaveLength(1);
  });

  it('leaves who waits for the next byte waiting', async () => {
    const waits = one.reached(1000);
    expect(await isKept(waits)).toBe(false);
    last().bytes(1);
    expect(await isKept(waits)).toBe(true);
  });

  it('has who waits for a byte that was evicted with it wait for the end of the block', async () => {
    const waits = one.reached(10);
    last().bytes(1000);
    expect(await isKept(waits)).toBe(false);
    last().bytes(blockBytes - 2000);
    expect(await isKept(waits)).toBe(true);
  });

  it('refuses an answer that would begin with a byte that was evicted with it', async () => {
    await expect(one.reached(10, 1_500)).rejects.toThrow(OverloadedError);
    expect(await isKept(one.reached(1000, 1_500))).toBe(false);
  });
});
