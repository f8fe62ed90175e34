import { HttpStore } from '../../src/backend/http/http-store.ts';
import type { OriginStore } from '../../src/backend/origin-store.ts';
import { S3Store, type S3StoreOptions } from '../../src/backend/s3/s3-store.ts';
import { StoreMeter } from '../../src/backend/store-meter.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Faults, guardedClock } from '../../src/base/faults.ts';
import type { Logger } from '../../src/base/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import type { Tracing } from '../../src/base/spans.ts';
import type { SharedMemory } from '../../src/cache/shared-memory.ts';
import type { UnwrittenBytesError } from '../../src/cache/written-bytes.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import type { AccessLog } from '../../src/gateway/reply/access-log.ts';
import { anonymous, type Policy } from '../../src/gateway/request/access.ts';
import type { RateLimits, RequestLimits } from '../../src/gateway/request/admission.ts';
import type { Authenticate, AuthenticateForm } from '../../src/gateway/request/authenticator.ts';
import {
  type Bucket,
  regionOfBucket,
  type WebRules,
  type WebsiteRules,
} from '../../src/gateway/request/bucket.ts';
import { BucketTable } from '../../src/gateway/request/bucket-table.ts';
import type { CachePolicy } from '../../src/gateway/request/cache-policy.ts';
import { withFallback } from '../../src/gateway/request/fallback-bucket.ts';
import { compileRules, type Rule } from '../../src/gateway/request/key-rules.ts';
import { Succession } from '../../src/gateway/request/succession.ts';
import { rulePaths } from '../../src/gateway/web/rule-path.ts';
import { slots } from './object-keys.ts';

const mebibyte = 1024 * 1024;

export const defaultPolicy: CachePolicy = {
  mode: 'cache',
  ttlMs: 60_000,
  maxTtlMs: 86_400_000,
  negativeTtlMs: 5_000,
  heuristicShare: 0,
  staleWhileRevalidateMs: 0,
  staleIfErrorMs: 0,
  maxStaleMs: 0,
  clientDirectives: 'ignore',
  targetedCacheControl: 'pass',
  showKey: false,
  honourCacheControl: true,
  blockSizeBytes: mebibyte,
  maxObjectSizeBytes: 5 * 1024 ** 4,
};

const defaultLimits: RequestLimits & RateLimits = {
  urlBytes: 8_192,
  requests: 10_000,
  requestsPerAddress: 10_000,
  requestsPerAccessKey: 10_000,
  connectionsPerAccessKey: 10_000,
  ratePerAddressBytes: 0,
  ratePerAccessKeyBytes: 0,
};

/** What the workers of a test gateway are made of. */
export interface WorkerGatewayOptions {
  readonly storeUrl: string;
  /** Further stores by name, each with a bucket that is called the same. */
  readonly otherStores?: Readonly<Record<string, string>>;
  /** A web origin, and how it is asked, for the bucket `web`, or for all paths. */
  readonly web?: {
    readonly url: string;
    readonly name?: 'web' | '/';
    readonly rules?: Partial<WebRules>;
    readonly website?: WebsiteRules;
  };
  /** A store that stands in for the first one in all of its buckets. */
  readonly fallbackUrl?: string;
  /** How the store is spoken to: by default in `x-amz-`, with the bucket in the path and without signatures. */
  readonly store?: Partial<S3StoreOptions>;
  /** What differs from a bucket that is called the same at the store, by the names that clients use. Default: one bucket `b`. */
  readonly buckets?: Readonly<Record<string, Partial<Bucket>>>;
  /** Whether `"*"` stands for all other names at the store. */
  readonly hasOthers?: boolean;
  readonly domain?: string;
  /** Heap that what is known of objects may cost in each worker: with several, half of it is for what others own. */
  readonly recordBytes?: number;
  readonly policy?: Partial<CachePolicy>;
  readonly clock?: Clock;
  /** Default: everybody is anonymous. */
  readonly authenticate?: Authenticate;
  /** The same of forms. */
  readonly authenticateForm?: AuthenticateForm;
  /** Rules for the keys of all buckets that have none of their own. */
  readonly keyRules?: readonly Rule[];
  /** Default: everybody may do everything. */
  readonly allows?: Policy | Policy['allows'];
  readonly connections?: number;
  readonly accessLog?: AccessLog;
  /** Where spans go; by default none are recorded. */
  readonly tracing?: Tracing;
  /** Receives warnings about requests. */
  readonly logger?: Logger;
  /** Blocks are checked unless it says otherwise; told of what is found. */
  readonly onUnwritten?: (error: UnwrittenBytesError) => void;
  /** Default: those of a configuration that names none. */
  readonly limits?: Partial<RequestLimits & RateLimits>;
}

/** One worker's gateway and what it is made of. */
export interface WorkerGateway {
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  readonly stores: readonly OriginStore[];
}

/** One of the workers that share `memory`. */
export function makeWorkerGateway(
  options: WorkerGatewayOptions,
  policy: CachePolicy,
  memory: SharedMemory,
  worker: number,
): WorkerGateway {
  const metrics = new Metrics();
  const clock = options.clock ?? systemClock;
  const meter = new StoreMeter(metrics);
  const faults = new Faults(metrics, options.logger);
  const stores = makeStores(options, { clock: guardedClock(clock, faults), meter, faults });
  const parts = { ...storeDefaults, clock: guardedClock(clock, faults), meter, faults };
  const web = options.web && new HttpStore({ name: 'web', endpoint: options.web.url, ...parts });
  if (web) spoilGiven(web);
  const gateway = new Gateway({
    domain: options.domain,
    buckets: bucketsOf(options, stores, policy, web),
    authenticate: options.authenticate ?? (() => anonymous),
    authenticateForm: options.authenticateForm ?? (() => anonymous),
    policy: policyOf(options.allows),
    memory,
    worker,
    ...recordBytesOf(options, memory.layout.workers),
    metrics,
    meter,
    faults,
    onArchivedRead: () => undefined,
    onUnwritten: options.onUnwritten ?? (() => undefined),
    accessLog: options.accessLog,
    tracing: options.tracing,
    ...(options.logger && { logger: options.logger }),
    clock,
    limits: { ...defaultLimits, ...options.limits },
    random: () => 0.5,
  });
  const { main, others, fallback } = stores;
  return {
    gateway,
    metrics,
    stores: [main, ...others, ...[fallback, web].filter(store => store !== undefined)],
  };
}

const storeDefaults = {
  connections: 128,
  queue: { size: 512, waitMs: 2_000 },
  minRateBytes: 1_024,
  timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
};

interface TestStores {
  readonly main: S3Store;
  /** Each has a bucket that is called the same. */
  readonly others: readonly S3Store[];
  readonly fallback: S3Store | undefined;
}

function makeStores(
  { storeUrl, otherStores = {}, fallbackUrl, connections = 128, tracing, store }: WorkerGatewayOptions,
  parts: Pick<S3StoreOptions, 'clock' | 'meter' | 'faults'>,
): TestStores {
  const makeStore = (name: string, endpoint: string) => {
    const made = new S3Store({
      name,
      endpoint,
      region: 'us-east-1',
      addressing: 'path',
      headerPrefix: 'x-amz-',
      credentials: { kind: 'none' },
      ...storeDefaults,
      connections,
      spans: tracing?.spans,
      ...parts,
      ...store,
    });
    spoilGiven(made);
    return made;
  };
  return {
    main: makeStore('main', storeUrl),
    others: Object.entries(otherStores).map(([name, url]) => makeStore(name, url)),
    fallback: fallbackUrl === undefined ? undefined : makeStore('fallback', fallbackUrl),
  };
}

/** A function alone tells of single keys; of what lies below a prefix it tells when that itself is refused. */
function policyOf(allows: WorkerGatewayOptions['allows']): Policy {
  if (!allows) return { allows: () => true, shareBelow: () => 'every' };
  if (typeof allows !== 'function') return allows;
  return { allows, shareBelow: (...asked) => (allows(...asked) ? 'some' : 'none') };
}

function bucketsOf(
  options: WorkerGatewayOptions,
  { main: store, others: otherStores, fallback }: TestStores,
  policy: CachePolicy,
  web: HttpStore | undefined,
) {
  const ofOthers = Object.fromEntries(otherStores.map(one => [one.name, { store: one }]));
  const buckets = { ...(options.buckets ?? { b: {} }), ...ofOthers };
  const rulesOf = (web?: WebRules) =>
    compileRules({ cache: policy, rules: options.keyRules ?? [] }, web && rulePaths);
  const bucketOf = (name: string, different: Partial<Bucket>): Bucket => {
    const bucket = primaryOf(name, different);
    return fallback ? withFallback(bucket, fallback, `${name}-replica`) : bucket;
  };
  const primaryOf = (name: string, different: Partial<Bucket>): Bucket => {
    const bucketAtStore = different.bucketAtStore ?? name;
    const backend = (different.store ?? store).identity;
    return {
      name,
      label: name,
      store,
      region: regionOfBucket(name, bucketAtStore, options.store?.region ?? 'us-east-1'),
      headerPrefix: store.headerPrefix,
      bucketAtStore,
      keyPrefix: '',
      epochs: different.web
        ? slots.ofWeb({ backend, bucket: bucketAtStore })
        : slots.of({ backend, bucket: bucketAtStore }),
      keys: 'exact',
      listingKey: new Uint8Array(32),
      succession: new Succession(),
      maxBodySizeBytes: 5 * 1024 ** 3,
      customerKeys: { plainHttp: 'loopback' },
      rulesFor: rulesOf(different.web),
      ...different,
    };
  };
  const named = Object.entries(buckets).map(([name, different]): [string, Bucket] => [
    name,
    bucketOf(name, different),
  ]);
  if (web && options.web) {
    const { name = 'web', url, rules, website } = options.web;
    named.push([name, primaryOf(name, { store: web, web: { ...webRules(url), ...rules }, website })]);
  }
  const find = (name: string) => (named.some(([taken]) => taken === name) ? undefined : bucketOf(name, {}));
  const others = {
    store,
    region: options.store?.region ?? 'us-east-1',
    headerPrefix: store.headerPrefix,
    rulesFor: rulesOf(),
    find,
  };
  return new BucketTable(new Map(named), options.hasOthers ? others : undefined);
}

function webRules(url: string): WebRules {
  return {
    host: { kind: 'origin' },
    forwarded: false,
    originHost: new URL(url).host,
    pathPrefix: '',
    query: { names: 'all', isSorted: false },
    storesCookies: false,
  };
}

/** The memory of a chunk is its receiver's during the call alone: here it is overwritten at once, as the next read may do. */
function spoilGiven(store: OriginStore): void {
  const send = store.send.bind(store);
  store.send = (request, receiver) =>
    send(request, {
      informed: (status, raw) => receiver.informed?.(status, raw),
      answered: head => receiver.answered(head),
      arrived: chunk => {
        receiver.arrived(chunk);
        chunk.fill(0xee);
      },
      ended: rawTrailers => receiver.ended(rawTrailers),
      failed: error => receiver.failed(error),
    });
}

function recordBytesOf({ recordBytes = 16 * mebibyte }: WorkerGatewayOptions, workers: number) {
  if (workers === 1) return { recordBytes, nearBytes: { webBytes: 0, objectBytes: 0 } };
  return {
    recordBytes: recordBytes / 2,
    nearBytes: { webBytes: recordBytes / 8, objectBytes: (recordBytes * 3) / 8 },
  };
}
