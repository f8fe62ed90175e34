import type { ObjectKey } from '../../cache/object-key.ts';
import type { Variant } from '../../cache/record.ts';
import type { RangeRequest } from '../../http/range.ts';
import type { Bucket, CachePolicy } from '../bucket.ts';

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
