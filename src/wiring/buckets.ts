/** Part of the composition roots of a worker and of `tidegate check`: the buckets that clients can address. */
import type { Store } from '../backend/store.ts';
import type { EpochSlots } from '../cache/epoch-slots.ts';
import { bucketPlaces } from '../config/bucket-places.ts';
import type { BackendConfig, BucketConfig } from '../config/gateway-config.ts';
import { otherBucketNames } from '../config/other-buckets.ts';
import { keysOf } from '../config/restricted-keys.ts';
import { type Bucket, regionOfBucket } from '../gateway/request/bucket.ts';
import { BucketTable } from '../gateway/request/bucket-table.ts';
import { fallbackBucketOf } from '../gateway/request/fallback-bucket.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { compileKeyPatterns } from '../s3/key-pattern.ts';
import { listingKeyOf } from '../s3/listing/marker-seal.ts';
import { regionOf } from './backend-stores.ts';
import type { WorkerSettings } from './thread-contracts.ts';

interface BucketParts {
  /** By the name of the backend. */
  readonly stores: ReadonlyMap<string, Store>;
  readonly slots: EpochSlots;
}

/** The part of `WorkerSettings` that describes buckets. */
type BucketSettings = Pick<WorkerSettings, 'config' | 'stores' | 'listingSecret'>;

export function createBuckets(settings: BucketSettings, parts: BucketParts): BucketTable {
  const { config } = settings;
  const complete = (name: string, label: string, bucket: BucketConfig, policyFor: Bucket['policyFor']) => {
    const described = { ...describeBucket(name, label, bucket, settings, parts), policyFor };
    return withFallback(described, bucket, config, parts);
  };
  const named = new Map<string, Bucket>();
  for (const [name, bucket] of Object.entries(config.buckets)) {
    if (name !== EVERY_OTHER_BUCKET) named.set(name, complete(name, name, bucket, policyOf(bucket)));
  }
  const others = config.buckets[EVERY_OTHER_BUCKET];
  if (!others) return new BucketTable(named, undefined);
  const isOther = otherBucketNames(config);
  const policyFor = policyOf(others);
  const store = parts.stores.get(others.backend);
  const backend = config.backends[others.backend];
  if (!store || !backend) throw new RangeError(`no backend ${others.backend}`);
  const find = (name: string) => (isOther(name) ? complete(name, '_other', others, policyFor) : undefined);
  const { headerPrefix } = backend;
  const standby = standbyOf(others, config, parts);
  return new BucketTable(named, { store, standby, region: regionOf(backend), headerPrefix, find });
}

function withFallback(
  bucket: Bucket,
  configured: BucketConfig,
  config: BucketSettings['config'],
  parts: BucketParts,
): Bucket {
  const store = standbyOf(configured, config, parts);
  if (!store) return bucket;
  const { fallbackBucket = bucket.bucketAtStore } = configured;
  return { ...bucket, fallback: fallbackBucketOf(bucket, store, fallbackBucket) };
}

/** The store of the fallback of a bucket's backend. */
function standbyOf(
  { backend: name }: BucketConfig,
  { backends }: BucketSettings['config'],
  { stores }: BucketParts,
): Store | undefined {
  const backend = backends[name];
  const fallback = backend?.type === 's3' ? backend.fallback : undefined;
  return fallback === undefined ? undefined : stores.get(fallback);
}

function policyOf(bucket: BucketConfig): Bucket['policyFor'] {
  const rules = bucket.rules.map(rule => ({ covers: compileKeyPatterns(rule.keys), cache: rule.cache }));
  return key => rules.find(rule => rule.covers(key))?.cache ?? bucket.cache;
}

function describeBucket(
  name: string,
  label: string,
  bucket: BucketConfig,
  settings: BucketSettings,
  { stores, slots }: BucketParts,
): Omit<Bucket, 'policyFor'> {
  const store = stores.get(bucket.backend);
  const backend = settings.config.backends[bucket.backend];
  if (!store || !backend) throw new RangeError(`no backend ${bucket.backend}`);
  const bucketAtStore = bucket.bucket ?? name;
  return {
    name,
    label,
    store,
    region: regionOfBucket(name, bucketAtStore, regionOf(backend)),
    headerPrefix: backend.headerPrefix,
    bucketAtStore,
    meetsAdministration: bucketPlaces(name, bucket, settings.config.backends).some(place =>
      servesAdministration(settings.config.backends[place.backend]),
    ),
    keyPrefix: bucket.keyPrefix,
    epochs: slots.of({ backend: store.identity, bucket: bucketAtStore }),
    keys: keysOf(backend),
    listingKey: listingKeyOf(secretOf(bucket.backend, backend, settings), bucket.backend),
    maxBodySizeBytes: bucket.maxBodySizeBytes,
    customerKeys: bucket.customerKeys,
  };
}

/** Whether a key can be a path under which the store is administered. Amazon's hosts have none: every path is an object. */
function servesAdministration(backend: BackendConfig | undefined): boolean {
  if (backend?.type !== 's3' || backend.addressing !== 'virtual') return false;
  return !/\.amazonaws\.com(?:\.cn)?\.?$/.test(new URL(backend.endpoint).hostname);
}

/** A secret that clients do not know: the backend's own, or one of this process for a store without credentials. */
function secretOf(name: string, backend: BackendConfig, { stores, listingSecret }: BucketSettings): string {
  const credentials = backend.type === 's3' ? backend.credentials : stores.get(name)?.credentials;
  const secret = credentials && 'secretAccessKey' in credentials ? credentials.secretAccessKey : undefined;
  return secret ?? listingSecret;
}
