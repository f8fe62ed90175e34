/** Part of the composition roots of a worker and of `tidegate check`: the buckets that clients can address. */
import type { Store } from '../backend/store.ts';
import type { EpochSlots } from '../cache/epoch-slots.ts';
import { bucketPlaces } from '../config/bucket-places.ts';
import type { BackendConfig, BucketConfig } from '../config/gateway-config.ts';
import { otherBucketNames } from '../config/other-buckets.ts';
import { keysOf } from '../config/restricted-keys.ts';
import { type Bucket, regionOfBucket, type WebRules, type WebsiteRules } from '../gateway/request/bucket.ts';
import { BucketTable } from '../gateway/request/bucket-table.ts';
import { withFallback } from '../gateway/request/fallback-bucket.ts';
import { Succession } from '../gateway/request/succession.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { listingKeyOf } from '../s3/listing/marker-seal.ts';
import { regionOf } from './backend-stores.ts';
import { type AtBackend, backendOf, compiledRules } from './compiled-rules.ts';
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
  const succession = new Succession();
  const complete = (name: string, label: string, bucket: BucketConfig, rulesFor: Bucket['rulesFor']) => {
    const described = { ...describeBucket(name, label, bucket, settings, parts), rulesFor, succession };
    const [, fallback] = bucketPlaces(name, bucket, config.backends);
    return fallback ? withFallback(described, storeAt(fallback, parts), fallback.bucket) : described;
  };
  const named = new Map<string, Bucket>();
  for (const [name, bucket] of Object.entries(config.buckets)) {
    if (name !== EVERY_OTHER_BUCKET)
      named.set(name, complete(name, name, bucket, compiledRules(bucket, config)));
  }
  const others = config.buckets[EVERY_OTHER_BUCKET];
  if (!others) return new BucketTable(named, undefined, succession);
  const isOther = otherBucketNames(config);
  const rulesFor = compiledRules(others, config);
  const store = storeAt(others, parts);
  const backend = backendOf(others, config);
  const find = (name: string) => (isOther(name) ? complete(name, '_other', others, rulesFor) : undefined);
  const { headerPrefix } = backend;
  const [, place] = bucketPlaces(EVERY_OTHER_BUCKET, others, config.backends);
  const fallback = place && storeAt(place, parts);
  const requestRules = requestRulesText(others, backend);
  const region = regionOf(backend);
  const described = { store, fallback, region, headerPrefix, requestRules, rulesFor, find };
  return new BucketTable(named, described, succession);
}

/** At a web origin `cors` changes what is asked, too: the same for all, so that an answer says nothing of `Origin` or for it. */
function requestRulesText(
  { rules, languages: own }: BucketConfig,
  { type }: Pick<BackendConfig, 'type'>,
): string {
  const changing = rules.flatMap(({ keys, requestHeaders, cors, languages }) => {
    const isForAll = type === 'http' && cors !== undefined;
    return requestHeaders || isForAll || languages ? [[keys, requestHeaders, isForAll, languages]] : [];
  });
  return changing.length === 0 && own.length === 0 ? '' : JSON.stringify([changing, own]);
}

function storeAt({ backend: name }: AtBackend, { stores }: BucketParts): Store {
  const store = stores.get(name);
  if (!store) throw new RangeError(`no backend ${name}`);
  return store;
}

function describeBucket(
  name: string,
  label: string,
  bucket: BucketConfig,
  settings: BucketSettings,
  parts: BucketParts,
): Omit<Bucket, 'rulesFor' | 'succession'> {
  const store = storeAt(bucket, parts);
  const backend = backendOf(bucket, settings.config);
  const places = bucketPlaces(name, bucket, settings.config.backends);
  const [{ bucket: bucketAtStore }] = places;
  const place = { backend: store.identity, bucket: bucketAtStore };
  return {
    name,
    label,
    store,
    region: regionOfBucket(name, bucketAtStore, regionOf(backend)),
    headerPrefix: backend.headerPrefix,
    bucketAtStore,
    meetsAdministration: places.some(place => servesAdministration(backendOf(place, settings.config))),
    // paths of a web origin are named as clients do
    keyPrefix: backend.type === 'http' ? '' : bucket.keyPrefix,
    ...(backend.type === 'http'
      ? { web: webRules(backend, bucket), epochs: parts.slots.ofWeb(place) }
      : { epochs: parts.slots.of(place) }),
    keys: keysOf(backend),
    listingKey: listingKeyOf(secretOf(bucket.backend, backend, settings), bucket.backend),
    maxBodySizeBytes: bucket.maxBodySizeBytes,
    customerKeys: bucket.customerKeys,
    ...(bucket.website && { website: websiteRules(bucket.website) }),
    requestRules: requestRulesText(bucket, backend),
  };
}

function websiteRules({
  index,
  error,
  errorFor,
  trailingSlash,
}: NonNullable<BucketConfig['website']>): WebsiteRules {
  return { index, error, errorFor, redirects: trailingSlash === 'redirect' };
}

function webRules(
  { endpoint, host, forwarded }: Extract<BackendConfig, { type: 'http' }>,
  { keyPrefix, query, setCookie }: BucketConfig,
): WebRules {
  const { names, sorted } = query;
  return {
    ...{ host, forwarded, originHost: new URL(endpoint).host, pathPrefix: keyPrefix },
    query: { names: names === 'all' ? 'all' : new Set(names === 'none' ? [] : names), isSorted: sorted },
    storesCookies: setCookie === 'store',
  };
}

/** Whether a key can be a path under which the store is administered. Amazon's hosts have none: every path is an object. */
function servesAdministration(backend: BackendConfig): boolean {
  if (backend.type !== 's3' || backend.addressing !== 'virtual') return false;
  return !/\.amazonaws\.com(?:\.cn)?\.?$/.test(new URL(backend.endpoint).hostname);
}

/** A secret that clients do not know: the backend's own, or one of this process for a store without credentials. */
function secretOf(name: string, backend: BackendConfig, { stores, listingSecret }: BucketSettings): string {
  const credentials = backend.type === 's3' ? backend.credentials : stores.get(name)?.credentials;
  const secret = credentials && 'secretAccessKey' in credentials ? credentials.secretAccessKey : undefined;
  return secret ?? listingSecret;
}
