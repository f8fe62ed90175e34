import { beforeEach, expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { ToldContents } from '../../../../src/gateway/workers/told-contents.ts';

const blockBytes = 4096;
const nothingRead = {
  open: () => ({ next: () => undefined, close: () => undefined }),
  lend: () => ({ bytes: Buffer.alloc(0), slot: undefined, release: () => undefined }),
};
let tier: MemoryTier;
let told: ToldContents;

beforeEach(() => {
  tier = new MemoryTier(allocateSharedMemory(32 * blockBytes, blockBytes, 1), 0);
  told = new ToldContents(tier.pins);
});

function contentOf(sizeBytes: number): Generation {
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes };
  return new Generation(identity, blockBytes, tier, nothingRead);
}

it('a content keeps its number, and is found by it', () => {
  const [one, other] = [contentOf(10), contentOf(10)];
  const { contentId } = told.content(one, undefined);
  expect(told.content(other, undefined).contentId).not.toBe(contentId);
  expect(told.content(one, undefined).contentId).toBe(contentId);
  expect(told.find(contentId)).toBe(one);
});

it('a content that was packed meanwhile is found in its new form', () => {
  const [before, after] = [contentOf(10), contentOf(10)];
  const { contentId } = told.content(before, undefined);
  after.contentId = contentId;
  expect(told.content(after, undefined).contentId).toBe(contentId);
  expect(told.find(contentId)).toBe(after);
});

it('a content is told with what it takes to go on with it, but for the key, which is known', () => {
  const asked = { versionId: 'v', requestPayer: undefined };
  const identity = { versionId: 'v', entityTag: '"t"', sizeBytes: 10, contentEncoding: 'gzip' };
  const generation = new Generation({ ...identity, objectKey: 'b\nk\no' }, blockBytes, tier, {
    ...nothingRead,
    asked,
  });
  expect(told.content(generation, undefined).identity).toEqual({ ...identity, blockBytes, asked });
});

it('a block is told with what it holds at the moment', () => {
  const content = contentOf(5 * blockBytes);
  for (const position of [blockBytes, 3 * blockBytes]) content.openBlock(position);
  content.write(blockBytes, Buffer.alloc(blockBytes));
  content.closeBlock(blockBytes);
  content.write(3 * blockBytes, Buffer.alloc(100));
  const placeOf = (position: number) => {
    const slot = content.blockAt(position)?.slot ?? -1;
    return { slot, tag: tier.pins.tag(slot), blockStart: position };
  };
  expect(told.blockAt(content, 0)).toBeUndefined();
  expect(told.blockAt(content, blockBytes + 7)).toEqual({
    ...{ ...placeOf(blockBytes), from: blockBytes, to: 2 * blockBytes },
  });
  expect(told.blockAt(content, 3 * blockBytes)).toEqual({
    ...{ ...placeOf(3 * blockBytes), from: 3 * blockBytes, to: 3 * blockBytes + 100 },
  });
});
