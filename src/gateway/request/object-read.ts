import { lengthPrefixed } from '../../base/length-prefixed.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { Variant } from '../../cache/record.ts';
import type { RangeRequest } from '../../http/range.ts';
import type { Bucket, CachePolicy } from './bucket.ts';

/** A GetObject or HeadObject as far as looking the object up is concerned: parsed, allowed, and no dialect in it. */
export interface ObjectRead {
  readonly method: 'GET' | 'HEAD';
  readonly bucket: Bucket;
  readonly policy: CachePolicy;
  readonly objectKey: ObjectKey;
  readonly versionId: string | undefined;
  readonly variant: Variant;
  /** `recordName` of version and variant. */
  readonly recordName: string;
  /** What the client wants first; decides what a miss fetches. */
  readonly range: RangeRequest;
  readonly partNumber: number | undefined;
  /** With conditions the bytes may turn out not to be wanted: a miss then fetches one block at the most. */
  readonly isConditional: boolean;
}

/** Names a record among those of all objects. Most have the empty `recordName`, and then nothing is put together. */
export function answerName(read: Pick<ObjectRead, 'objectKey'>, recordName: string): string {
  return read.objectKey.text + recordName;
}

/** Names a question to a store: who asks the same may wait for one answer. */
export function questionName(read: Pick<ObjectRead, 'objectKey' | 'recordName'>, question: string): string {
  return answerName(read, read.recordName) + lengthPrefixed(question);
}
