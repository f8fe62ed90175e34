import { beforeEach, expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { OverloadedError } from '../../../../src/gateway/fill/fill-error.ts';
import { Filler } from '../../../../src/gateway/fill/filler.ts';
import { type FillReader, Readers } from '../../../../src/gateway/fill/readers.ts';
import { type AskedRange, askedRanges } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const blockBytes = 4096;
const sizeBytes = 64 * blockBytes;
let asked: AskedRange[];
let tier: MemoryTier;
let readers: Readers;
let filler: Filler;
let generation: Generation;

beforeEach(() => {
  asked = [];
  tier = new MemoryTier(allocateSharedMemory(128 * blockBytes, blockBytes, 1), 0);
  readers = new Readers(128 * blockBytes);
  filler = new Filler(tier, readers, {
    clock: new ManualClock(),
    random: () => 0.5,
    retried: () => undefined,
  });
  generation = newGeneration();
});

function newGeneration(): Generation {
  const identity = { objectKey: 'main\nb\nk', versionId: undefined, entityTag: '"t"', sizeBytes };
  const unused = () => {
    throw new Error('nothing is read here');
  };
  return new Generation(identity, blockBytes, tier, { open: unused, lend: unused });
}

/** Asks for blocks `[from, to)` in extents of `extentBlocks`. */
function fetch(from: number, to: number, extentBlocks = 4): void {
  const source = askedRanges(asked, sizeBytes);
  filler.fetch(generation, from * blockBytes, to * blockBytes, extentBlocks * blockBytes, source);
}

/** Whoever reads blocks `[from, to)`. */
function reader(from: number, to: number): FillReader {
  const wants = { from: from * blockBytes, to: to * blockBytes };
  return { wants, readBytes: 0, isWaiting: false, source: askedRanges(asked, sizeBytes) };
}

/** What was asked for and is not given up, in blocks. */
function running(): string[] {
  return asked
    .filter(({ state }) => state !== 'aborted')
    .map(({ from, to }) => `${from / blockBytes}-${to / blockBytes}`);
}

function call(index: number): AskedRange {
  const found = asked[index];
  if (!found) throw new Error(`there was no request ${index}`);
  return found;
}

it('asks for what is missing in extents, and not again for what is under way', () => {
  fetch(0, 10);
  expect(running()).toEqual(['0-4', '4-8', '8-10']);
  fetch(6, 14);
  expect(running().slice(3)).toEqual(['10-14']);
  expect(filler.inFlight).toBe(4);
});

it('leaves out what is held', () => {
  fetch(4, 8);
  call(0)
    .answer()
    .bytes(4 * blockBytes)
    .end();
  expect(filler.inFlight).toBe(0);
  fetch(0, 12);
  expect(running().slice(1)).toEqual(['0-4', '8-12']);
});

it('has no more than sixteen extents of a content under way, but for who waits for a byte', () => {
  fetch(0, 32, 1);
  expect(asked).toHaveLength(16);
  fetch(40, 50, 1);
  expect(running().slice(16)).toEqual(['40-41']);
});

it('refuses further fills while too many wait for memory', () => {
  for (let count = 0; count < 256; count++) tier.whenFreed(() => count);
  expect(() => fetch(0, 1)).toThrow(OverloadedError);
  expect(asked).toEqual([]);
});

it('gives up what nobody reads any more, at the end of the block that is arriving', () => {
  const near = reader(0, 4);
  const far = reader(0, 12);
  readers.join(generation, near);
  readers.join(generation, far);
  fetch(0, 12);
  call(0).answer().bytes(100);
  readers.leave(generation, far);
  filler.readerLeft(generation, far);
  expect(running()).toEqual(['0-4']);
  readers.leave(generation, near);
  filler.readerLeft(generation, near);
  call(0).bytes(blockBytes);
  expect(running()).toEqual([]);
  expect(generation.heldBytes).toBe(blockBytes);
});

it('one answer with all of the content takes the place of the extents that have brought nothing', () => {
  readers.join(generation, reader(4, 16));
  fetch(4, 16);
  call(0).answer().bytes(blockBytes);
  call(1).answerWhole();
  expect(running(), 'the first has brought a block').toEqual(['4-8', '8-12']);
  call(2).answerWhole();
  expect(filler.inFlight).toBe(2);
  call(1).bytes(sizeBytes).end();
  call(0)
    .bytes(3 * blockBytes)
    .end();
  expect(filler.inFlight).toBe(0);
  expect(generation.heldBytes).toBe(sizeBytes);
});

it('a content whose store ignores ranges is asked for nothing ahead, until a range is answered again', () => {
  const one = reader(0, 64);
  readers.join(generation, one);
  fetch(1, 2, 1);
  call(0)
    .answerWhole()
    .bytes(2 * blockBytes);
  readers.leave(generation, one);
  filler.readerLeft(generation, one);
  expect(filler.inFlight).toBe(0);
  readers.join(generation, one);
  fetch(4, 8, 1);
  expect(running()).toEqual(['4-5']);
  call(1).answer().bytes(blockBytes).end();
  fetch(5, 8, 1);
  expect(running().slice(1)).toEqual(['5-6', '6-7', '7-8']);
});

it('who wants a block that a transfer of all has passed begins another, up to where that one is', () => {
  readers.join(generation, reader(0, 64));
  fetch(2, 4);
  call(0)
    .answerWhole()
    .bytes(10 * blockBytes);
  const held = generation.blockAt(0);
  if (held) {
    tier.free(held.slot);
    held.evicted();
  }
  fetch(0, 1);
  expect(filler.inFlight).toBe(2);
  call(1)
    .answerWhole()
    .bytes(10 * blockBytes);
  expect(call(1).state, 'the first brings the rest').toBe('aborted');
  expect(generation.availableUntil(0)).toBe(blockBytes);
  call(0)
    .bytes(54 * blockBytes)
    .end();
  expect(generation.heldBytes).toBe(sizeBytes);
});

it('who wants a block behind the last one of a transfer of all, which has lost its readers, begins another', () => {
  const one = reader(0, 64);
  readers.join(generation, one);
  fetch(0, 1);
  call(0).answerWhole().bytes(100);
  readers.leave(generation, one);
  filler.readerLeft(generation, one);
  readers.join(generation, reader(1, 64));
  fetch(1, 2);
  call(1)
    .answerWhole()
    .bytes(3 * blockBytes);
  expect(generation.availableUntil(2 * blockBytes)).toBe(3 * blockBytes);
  call(0).bytes(blockBytes - 100);
  call(1)
    .bytes(61 * blockBytes)
    .end();
  expect(filler.inFlight).toBe(0);
  expect(generation.heldBytes).toBe(sizeBytes);
});
