import type { StoredBucket } from '../disk/buckets.ts';
import { isDiskFull } from '../disk/disk-full.ts';
import { addMarker } from '../operations/delete-object.ts';
import { midnightAfterDays } from '../operations/lifecycle.ts';
import type { StoreParts } from '../store.ts';
import { goneSample, sampleCustomerKey, sampleObjects, sampleVersions } from './sample-objects.ts';
import { type SampleObject, storeSample } from './store-sample.ts';

const SAMPLE_BUCKET = 'sample';
const RESTORED_DAYS = 7;

/** Information about the bucket that is printed at the start. */
export interface SampleBucket {
  readonly bucket: string;
  /** The key for `sealed.bin` and its MD5 in base64, for the customer-key headers. */
  readonly customerKey: string;
  readonly customerKeyMd5: string;
}

/**
 * Fills the bucket `sample` with an object in every state of the specification. Existing objects are kept, so it can be
 * called at every start; only the restored copy of `restored.bin` is renewed. On a full disk what is missing stays so: the
 * store has to start, or nothing could be deleted.
 */
export async function seedSampleBucket(store: StoreParts): Promise<SampleBucket> {
  try {
    await fill(store);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    const fields = { error: error.message, ...store.spare.state() };
    store.logger.warn(fields, 'the disk of the embedded store is full: the sample bucket stays as it is');
  }
  return {
    bucket: SAMPLE_BUCKET,
    customerKey: sampleCustomerKey.key.toString('base64'),
    customerKeyMd5: sampleCustomerKey.md5,
  };
}

async function fill(store: StoreParts): Promise<void> {
  const bucket = store.buckets.find(SAMPLE_BUCKET) ?? createSampleBucket(store);
  for (const sample of sampleObjects()) await storeOnce(store, bucket, [sample]);
  await storeOnce(store, bucket, sampleVersions());
  if (await storeOnce(store, bucket, [goneSample()])) addMarker({ store, bucket, key: goneSample().key });
  renewRestoredCopy(store, bucket);
}

function createSampleBucket(store: StoreParts): StoredBucket {
  const bucket: StoredBucket = {
    name: SAMPLE_BUCKET,
    createdMs: store.clock.nowMs(),
    settings: {
      ownerId: store.ownerId,
      acl: 'public-read',
      versioning: 'enabled',
      payer: 'BucketOwner',
      isLockEnabled: false,
      cors: [],
      lifecycle: [],
    },
  };
  store.buckets.create(bucket);
  return bucket;
}

/** Stores the versions of one key unless it has any; returns whether it did. */
async function storeOnce(
  store: StoreParts,
  bucket: StoredBucket,
  versions: readonly SampleObject[],
): Promise<boolean> {
  const [first] = versions;
  if (!first || store.versions.latest(bucket.name, first.key)) return false;
  for (const version of versions) await storeSample(store, bucket, version);
  return true;
}

function renewRestoredCopy(store: StoreParts, bucket: StoredBucket): void {
  const object = store.versions.latest(bucket.name, 'restored.bin');
  if (object?.kind !== 'object') return;
  const readyAtMs = store.clock.nowMs();
  const expiresAtMs = midnightAfterDays(readyAtMs, RESTORED_DAYS);
  store.versions.change(object, { restore: { readyAtMs, expiresAtMs } });
}
