import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type ContentAccess, Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { ContentEncoder } from '../../../../src/gateway/fill/content-encoder.ts';
import { writeWhole } from '../../../../src/gateway/fill/write-whole.ts';

const blockBytes = 16 * 1024;
const text = Buffer.from('compressible '.repeat(10_000)).subarray(0, 100_000);

function parts(pages = 32) {
  const tier = new MemoryTier(allocateSharedMemory(pages * blockBytes, blockBytes, 1), 0);
  let lent = 0;
  const reading: ContentAccess = {
    open: () => {
      throw new Error('no reader is wanted here');
    },
    lend: (block, from, to) => {
      lent++;
      return { bytes: block.bytes(from, to), slot: block.slot, release: () => lent-- };
    },
  };
  const identity = { objectKey: 'k', versionId: 'v', entityTag: '"t"', sizeBytes: text.length };
  const of = new Generation(identity, blockBytes, tier, reading);
  const encoder = new ContentEncoder({
    create: (_, made) => new Generation(made, blockBytes, tier, reading),
    faults: undefined,
  });
  const ends = () => [...encoder.ends].map(({ coding, end, count }) => `${count} ${coding} ${end}`);
  return { tier, of, encoder, ends, lent: () => lent };
}

it('what is held is compressed, block by block, and every loan is returned', async () => {
  const { of, encoder, ends, lent } = parts();
  writeWhole(of, text);
  const made = await encoder.make(of, 'gzip');
  if (!(made instanceof Generation)) throw new Error(`${made}`);
  expect(made.identity).toMatchObject({
    ...{ objectKey: 'k', versionId: 'v', entityTag: '"t-tidegate-gzip"', contentEncoding: 'gzip' },
  });
  const bytes = made.lend(0, made.sizeBytes)?.bytes ?? Buffer.alloc(0);
  expect(gunzipSync(bytes).equals(text)).toBe(true);
  expect([ends(), lent()]).toEqual([['1 gzip made'], 1]);
});

it('what is not all in memory is left, and nothing is fetched', async () => {
  const { of, encoder, ends } = parts();
  of.openBlock(0);
  of.write(0, text.subarray(0, blockBytes));
  of.closeBlock(0);
  expect(await encoder.make(of, 'br')).toBeUndefined();
  expect(ends()).toEqual(['1 br not-held']);
});

it('a content that ended meanwhile is not made another one of', async () => {
  const { of, encoder, ends, tier } = parts();
  writeWhole(of, text);
  const made = encoder.make(of, 'zstd');
  of.retire();
  expect([await made, ends(), tier.usage.slots]).toEqual([undefined, ['1 zstd not-held'], 0]);
});

it('one is made after the other, and no more than 256 wait', async () => {
  const { of, encoder, ends } = parts();
  const all = Array.from({ length: 300 }, () => encoder.make(of, 'gzip'));
  await Promise.all(all);
  expect(ends()).toEqual(['44 gzip busy', '256 gzip not-held']);
});
