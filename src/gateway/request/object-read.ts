import { lengthPrefixed } from '../../base/length-prefixed.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { Variant } from '../../cache/record.ts';
import type { RangeRequest } from '../../http/range.ts';
import { parseRequestDirectives, type RequestDirectives } from '../../http/request-directives.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import type { Bucket } from './bucket.ts';
import type { CachePolicy } from './cache-policy.ts';

/** A GetObject or HeadObject as the look-up sees it: parsed, authorised, and independent of the dialect. */
export interface ObjectRead {
  readonly method: 'GET' | 'HEAD';
  readonly bucket: Bucket;
  readonly policy: CachePolicy;
  readonly objectKey: ObjectKey;
  readonly versionId: string | undefined;
  readonly variant: Variant;
  /** `recordName` of version and variant. */
  readonly recordName: string;
  /** The requested range; decides what a miss fetches. */
  readonly range: RangeRequest;
  /** If-Range: where it does not hold, all is sent whatever the range. */
  readonly ifRange?: string | undefined;
  readonly partNumber: number | undefined;
  /** With preconditions the bytes may turn out not to be needed, so a miss fetches at most one block. */
  readonly isConditional: boolean;
  /** What the client asks of the cache; undefined where it asks for nothing, or is not heard. */
  readonly directives?: RequestDirectives | undefined;
  /**
   * The trace of the request. Readers who share a call to the store may have different ones; the call carries that of
   * the first.
   */
  readonly trace?: TraceContext | undefined;
  /** Whom questions to the store count for; undefined for what is asked in the background. */
  readonly countsFor?: CountsFor | undefined;
}

/** The client that asks a store, see `clientOf`, until others ask the same. */
export interface CountsFor {
  readonly client: string;
  readonly shared: AbortSignal;
}

/** What a client asks of the cache, where `policy` lets it. */
export function heardDirectives(
  { clientDirectives }: CachePolicy,
  { cacheControl, pragma }: Pick<RequestFields, 'cacheControl' | 'pragma'>,
): RequestDirectives | undefined {
  if (clientDirectives === 'ignore' || (cacheControl === undefined && pragma === undefined)) return undefined;
  return parseRequestDirectives(cacheControl, pragma);
}

/** Identifies a record among all objects. Most have the empty `recordName`; no string is built then. */
export function recordId(read: Pick<ObjectRead, 'objectKey'>, recordName: string): string {
  return read.objectKey.text + recordName;
}

/** Identifies a store request; concurrent equal requests share one answer. */
export function flightName(read: Pick<ObjectRead, 'objectKey' | 'recordName'>, question: string): string {
  return recordId(read, read.recordName) + lengthPrefixed(question);
}
