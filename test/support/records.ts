import type { Content } from '../../src/cache/content.ts';
import type { ReadableRecord } from '../../src/cache/record.ts';
import { nothingStated } from '../../src/cache/stated-freshness.ts';
import type { Learned } from '../../src/gateway/read/object-source.ts';

/** What the record of a readable object without headers holds besides its content. */
export function recordFields(sizeBytes: number): Omit<ReadableRecord, 'content'> {
  return {
    kind: 'readable',
    isNegative: false,
    isUsableForGet: true,
    fields: [],
    receivedMs: 0,
    directives: nothingStated,
    epoch: 0,
    barrier: 0,
    tagSlots: [],
    isUnsettled: false,
    entityTag: '"t"',
    lastModifiedMs: undefined,
    sizeBytes,
    versionId: undefined,
    checksums: 'known',
    isCharged: false,
  };
}

/** The record of a readable object that answers with `content` and has no headers. */
export function recordOf(content: Content): ReadableRecord {
  return { ...recordFields(content.sizeBytes), content };
}

/** What a store may have told of an object that is not kept. */
export const anythingLearned: Learned = {
  record: { ...recordFields(0), kind: 'uncacheable', tooLargeBytes: undefined },
  how: 'fetched',
  forwarded: 'uri-miss',
  forwardStatus: 200,
  isStored: false,
  isCharged: false,
};
