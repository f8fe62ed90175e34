import type { AskedFor, GenerationIdentity } from '../../cache/generation-identity.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { RangeSource } from '../fill/ranged-read.ts';
import { storeRequest } from '../read/store-request.ts';
import type { Bucket } from '../request/bucket.ts';
import type { CountsFor, ObjectRead } from '../request/object-read.ts';
import { webRangeSource } from '../web/web-range-source.ts';
import { isWeb } from '../web/web-target.ts';

/** See `Configurations.bucketNow`. */
export type BucketNow = (bucket: Bucket, objectKey: Pick<ObjectKey, 'key'>) => Bucket;

export type StoredObject = Pick<ObjectRead, 'bucket' | 'objectKey'>;

/** What a content is created for. */
export type CreatedRead = Pick<ObjectRead, 'bucket' | 'objectKey' | 'versionId' | 'variant' | 'policy'> &
  Pick<AskedFor, 'selecting'>;

/** The request that wants bytes; left out where that is nobody in particular. */
interface Wanted {
  readonly trace?: TraceContext | undefined;
  readonly countsFor?: CountsFor | undefined;
}

/** The current version, for whoever asks. */
export const nothingNamed: AskedFor = { versionId: undefined, requestPayer: undefined };

export function askedFor({
  versionId,
  variant: { requestPayer },
  selecting,
}: Pick<CreatedRead, 'versionId' | 'variant' | 'selecting'>): AskedFor {
  return { versionId, requestPayer, ...(selecting?.length && { selecting }) };
}

/**
 * Requests ranges with If-Match on the content's entity tag: if the object has changed, the store answers 412 and bytes
 * are never mixed. A failure is repeated a few times, and then told in the gateway's words where its body does not come with it.
 *
 * @param bucketNow the bucket by whose rules a store is asked at the moment: contents of objects stay in memory over reloads.
 * Those of a web origin do not, since its rules tell where a key is
 * @param wanted the trace of the request that wants the bytes, and whom it counts for
 */
export function rangeSource(
  { bucket: first, objectKey }: StoredObject,
  asked: AskedFor,
  identity: GenerationIdentity,
  bucketNow: BucketNow,
  wanted: Wanted = {},
): RangeSource {
  if (isWeb(first)) return webRangeSource(first, objectKey, asked.selecting, identity, wanted.trace);
  const sourceIn = (bucket: Bucket) => storeRangeSource({ bucket, objectKey }, asked, identity, wanted);
  let bucket = first;
  let source = sourceIn(bucket);
  const now = () => {
    const latest = bucketNow(bucket, objectKey);
    if (latest !== bucket) source = sourceIn(latest);
    bucket = latest;
    return source;
  };
  return {
    backend: source.backend,
    isByVersion: source.isByVersion ?? false,
    mayRetry: () => now().mayRetry(),
    send: (from, to, receiver) => now().send(from, to, receiver),
  };
}

function storeRangeSource(
  { bucket, objectKey }: StoredObject,
  { versionId, requestPayer }: AskedFor,
  { entityTag: ifMatch }: GenerationIdentity,
  { trace, countsFor }: Wanted,
): RangeSource {
  const { store } = bucket;
  const variant = { origin: undefined, expectedBucketOwner: undefined, requestPayer };
  return {
    backend: store.name,
    isByVersion: versionId !== undefined,
    mayRetry: () => store.mayRetry(),
    send: (from, to, receiver) => {
      const range = `bytes=${from}-${to - 1}`;
      const asked = { bucket, objectKey, versionId, variant, countsFor };
      const request = storeRequest(asked, 'GET', { range, ifMatch, trace });
      return store.send({ ...request, isFailureUntold: true }, receiver);
    },
  };
}
