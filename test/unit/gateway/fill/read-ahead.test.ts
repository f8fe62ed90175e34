import { expect, it } from 'vitest';
import type { ContentReader } from '../../../../src/cache/content.ts';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { Filler } from '../../../../src/gateway/fill/filler.ts';
import { GenerationReader } from '../../../../src/gateway/fill/generation-reader.ts';
import { ReadAhead } from '../../../../src/gateway/fill/read-ahead.ts';
import { Readers } from '../../../../src/gateway/fill/readers.ts';
import { SlotLender } from '../../../../src/gateway/fill/slot-lender.ts';
import { type AskedRange, askedRanges } from '../../../support/asked-ranges.ts';
import { countLookups } from '../../../support/count-lookups.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const blockBytes = 4096;

/** A content of `blocks`, in memory for eight times as many: a window reaches from any byte to the end. */
function setUp(blocks: number) {
  const asked: AskedRange[] = [];
  const sizeBytes = blocks * blockBytes;
  const arenaBytes = 8 * sizeBytes;
  const clock = new ManualClock();
  const tier = new MemoryTier(allocateSharedMemory(arenaBytes, blockBytes, 1), 0);
  const readers = new Readers(arenaBytes);
  const filler = new Filler(tier, readers, { clock, random: () => 0.5, retried: () => undefined });
  const ahead = new ReadAhead(filler, readers, clock);
  const lender = new SlotLender(tier, 8 * blocks);
  const source = askedRanges(asked, sizeBytes);
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes };
  const generation: Generation = new Generation(identity, blockBytes, tier, {
    open: (content, from, to, hasBegun) =>
      new GenerationReader(content, { from, to, hasBegun }, source, { lender, readAhead: ahead }),
    lend: (block, from, to) => lender.lend(block, from, to),
  });
  const fill = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      generation.openBlock(index * blockBytes);
      generation.write(index * blockBytes, Buffer.alloc(blockBytes, 1));
      generation.closeBlock(index * blockBytes);
    }
  };
  return { asked, tier, filler, generation, sizeBytes, fill };
}

/** Takes all that comes of `reader`, and gives it back at once. */
async function readAll(reader: ContentReader): Promise<number> {
  let takenBytes = 0;
  for (let loan = await reader.next(); loan; loan = await reader.next()) {
    takenBytes += loan.bytes.length;
    loan.release();
  }
  reader.close();
  return takenBytes;
}

async function lookupsPerBlock(blocks: number, read: (blocks: number) => Promise<unknown>): Promise<number> {
  return (await countLookups(() => read(blocks))) / blocks;
}

it.each([
  [
    'that is held',
    async (blocks: number) => {
      const { generation, sizeBytes, fill } = setUp(blocks);
      fill(0, blocks);
      expect(await readAll(generation.open(0, sizeBytes))).toBe(sizeBytes);
    },
  ],
  [
    'of which the first block comes in small pieces and the rest is held',
    async (blocks: number) => {
      const { asked, generation, sizeBytes, fill } = setUp(blocks);
      fill(2, blocks);
      const reader = generation.open(0, sizeBytes);
      const all = readAll(reader);
      for (let piece = 0; piece < 256; piece++) {
        if (piece === 0) asked[0]?.answer();
        asked[0]?.bytes((2 * blockBytes) / 256);
        await new Promise(resolve => setImmediate(resolve));
      }
      expect(await all).toBe(sizeBytes);
      expect(asked).toHaveLength(1);
    },
  ],
  [
    'with more holes than extents may be under way',
    async (blocks: number) => {
      const { asked, generation, sizeBytes, fill } = setUp(blocks);
      for (let index = 0; index < blocks / 2; index++) if (index % 4 !== 1) fill(index, index + 1);
      const reader = generation.open(0, sizeBytes);
      const all = readAll(reader);
      for (let answered = 0; answered < asked.length; answered++) {
        const call = asked[answered];
        call
          ?.answer()
          .bytes(call.to - call.from)
          .end();
        await new Promise(resolve => setImmediate(resolve));
      }
      expect(await all).toBe(sizeBytes);
    },
  ],
])('the work for each block of a content %s does not grow with the content', async (_what, read) => {
  const [few, many] = [await lookupsPerBlock(256, read), await lookupsPerBlock(2048, read)];
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(1.5 * few);
});

it('what has gone from memory before its reader comes is fetched again, in extents', async () => {
  const { asked, tier, generation, sizeBytes, fill } = setUp(64);
  fill(0, 64);
  const reader = generation.open(0, sizeBytes);
  (await reader.next())?.release();
  for (let index = 1; index < 64; index++) {
    const block = generation.blockAt(index * blockBytes);
    if (block) tier.free(block.slot);
    block?.evicted();
  }
  const all = readAll(reader);
  expect(asked.map(({ from, to }) => [from / blockBytes, to / blockBytes])).toEqual([[1, 64]]);
  asked[0]
    ?.answer()
    .bytes(63 * blockBytes)
    .end();
  expect(await all).toBe(63 * blockBytes);
});

it('a reader whose byte is on its way is not refused when there is no room for what is ahead of it', () => {
  const { asked, tier, filler, generation, sizeBytes } = setUp(64);
  const source = askedRanges(asked, sizeBytes);
  filler.fetch(generation, 0, blockBytes, blockBytes, source);
  for (let count = 0; count < 256; count++) tier.whenFreed(() => undefined);
  expect(filler.fetch(generation, 0, sizeBytes, blockBytes, source)).toBe(0);
  expect(asked).toHaveLength(1);
});
