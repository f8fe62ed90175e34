import { sendAndCollect } from '../../backend/collected-reply.ts';
import type { SlicedWork } from '../../base/sliced-work.ts';
import { listingKinds } from '../../s3/listing/listing-kind.ts';
import { LISTING_LIMIT_BYTES, readListing } from '../../s3/listing/store-listing.ts';
import { ruledFields } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';

/** Keys with a prefix, by the names that clients use. */
export interface KeysBelow {
  readonly bucket: string;
  readonly prefix: string;
  /** Those behind this one; undefined: from the first on. */
  readonly after: string | undefined;
}

/** A page of keys, in the store's order. */
export interface KeyPage {
  readonly keys: readonly string[];
  readonly isLast: boolean;
}

/** The store refused to list the bucket. */
class NotListedError extends Error {
  readonly code = 'NOT_LISTED';

  constructor(status: number) {
    super(`the store answered ${status} when it was to list the bucket`);
  }
}

const PAGE_KEYS = 500;

const all = { shows: () => true, nameFor: () => undefined };

/** @throws NotListedError, StoreError, InvalidListError (as a rejection) */
export async function keysBelow(
  { bucket: name, prefix, after }: KeysBelow,
  buckets: Pick<BucketTable, 'find'>,
  work: SlicedWork,
): Promise<KeyPage> {
  const bucket = buckets.find(name);
  if (!bucket) return { keys: [], isLast: true };
  const { store, bucketAtStore, keyPrefix } = bucket;
  const query = new URLSearchParams({
    ...{ 'list-type': '2', 'encoding-type': 'url', 'max-keys': String(PAGE_KEYS) },
    prefix: keyPrefix + prefix,
    ...(after !== undefined && { 'start-after': keyPrefix + after }),
  });
  const reply = await sendAndCollect(
    store,
    {
      ...{ method: 'GET', operation: 'ListObjectsV2', bucket: bucketAtStore, key: undefined },
      fields: ruledFields(bucket, undefined, []),
      // stores sign and read a space as %20
      query: query.toString().replaceAll('+', '%20'),
    },
    { limitBytes: LISTING_LIMIT_BYTES },
  );
  if (reply.status !== 200) throw new NotListedError(reply.status);
  const page = readListing(reply.body, listingKinds.ListObjectsV2, all);
  const { sorted, isTruncated } = await work.inSlices(page, new AbortController().signal);
  const keys = sorted.filter(({ isCommonPrefix }) => !isCommonPrefix).map(({ name }) => name);
  const own = keys.filter(key => key.startsWith(keyPrefix)).map(key => key.slice(keyPrefix.length));
  // a page without keys would be asked for again
  return { keys: own, isLast: !isTruncated || own.length === 0 };
}
