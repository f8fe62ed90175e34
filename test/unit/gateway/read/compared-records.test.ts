import { beforeEach, describe, expect, it } from 'vitest';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import type { ObjectRecord, ReadableRecord } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { haveSameContent, isStillHeld } from '../../../../src/gateway/read/compared-records.ts';
import { TextContent } from '../../../support/object-server-bench.ts';
import { recordFields, recordOf } from '../../../support/records.ts';

const blockBytes = 4096;
const nothingRead = {
  open: () => ({ next: () => undefined, close: () => undefined }),
  lend: () => ({ bytes: Buffer.alloc(0), slot: undefined, release: () => undefined }),
};
let tier: MemoryTier;
/** As it was before it was packed, and as it is held since. */
let before: ReadableRecord & { readonly content: Generation };
let held: ReadableRecord;

beforeEach(() => {
  tier = new MemoryTier(allocateSharedMemory(32 * blockBytes, blockBytes, 1), 0);
  before = { ...recordFields(10), content: contentOf() };
  held = { ...recordFields(10), content: contentOf() };
});

function contentOf(): Generation {
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes: 10 };
  return new Generation(identity, blockBytes, tier, nothingRead);
}

describe('a record is still held', () => {
  it('where it is the one that is held, of whatever kind', () => {
    const refused: ObjectRecord = { ...recordFields(0), kind: 'uncacheable', tooLargeBytes: undefined };
    expect(isStillHeld(before, before)).toBe(true);
    expect(isStillHeld(refused, refused)).toBe(true);
    expect(isStillHeld(refused, { ...refused })).toBe(false);
    expect(isStillHeld(undefined, before)).toBe(false);
  });

  it('where it was packed since, and has given up its content', () => {
    expect(isStillHeld(held, before), 'its content is in use').toBe(false);
    before.content.retire();
    expect(isStillHeld(held, before)).toBe(true);
  });

  it.each<[string, Partial<ReadableRecord>]>([
    ['the object was written', { epoch: 1 }],
    ['it was purged', { barrier: 1 }],
    ['it was asked for anew', { receivedMs: 1 }],
    ['it is another content', { entityTag: '"u"' }],
    ['it is another version', { versionId: 'v2' }],
  ])('not where %s', (_what, difference) => {
    before.content.retire();
    expect(isStillHeld({ ...held, ...difference }, before)).toBe(false);
  });

  it('not where either is no record of a content here', () => {
    before.content.retire();
    const refused: ObjectRecord = { ...recordFields(0), kind: 'uncacheable', tooLargeBytes: undefined };
    expect(isStillHeld(refused, before)).toBe(false);
    expect(isStillHeld(held, refused)).toBe(false);
    expect(isStillHeld(held, recordOf(new TextContent('0123456789')))).toBe(false);
  });
});

it('two records have one content where both are of the same, whatever else they say', () => {
  const refused: ObjectRecord = { ...recordFields(0), kind: 'uncacheable', tooLargeBytes: undefined };
  expect(haveSameContent(before, { ...before, receivedMs: 1 })).toBe(true);
  expect(haveSameContent(before, held)).toBe(false);
  expect([haveSameContent(refused, before), haveSameContent(before, refused)]).toEqual([false, false]);
});
