/** The composition root of a worker: builds what serves requests, from the settings posted by the supervisor. */
import { RequestedObjects } from './alerts/measurement/requested-objects.ts';
import { S3Store } from './backend/s3/s3-store.ts';
import type { Store } from './backend/store.ts';
import { StoreMeter } from './backend/store-meter.ts';
import { systemClock } from './base/clock.ts';
import { Faults } from './base/faults.ts';
import { createLogger } from './base/logger.ts';
import { Metrics } from './base/metrics.ts';
import type { SharedMemory } from './cache/shared-memory.ts';
import { deepFreeze } from './config/freeze.ts';
import type { BackendConfig, BucketConfig } from './config/gateway-config.ts';
import { otherBucketNames } from './config/other-buckets.ts';
import { keysOf } from './config/restricted-keys.ts';
import { Gateway } from './gateway/gateway.ts';
import { listingKeyOf } from './gateway/pass/listing/marker-seal.ts';
import { createAuthenticator } from './gateway/request/authenticator.ts';
import { type Bucket, regionOfBucket } from './gateway/request/bucket.ts';
import { BucketTable } from './gateway/request/bucket-table.ts';
import { grantPolicy } from './gateway/request/grant-policy.ts';
import { EVERY_OTHER_BUCKET } from './s3/bucket-name.ts';
import { compileKeyPatterns } from './s3/key-pattern.ts';
import { joinPool } from './server/worker-membership.ts';
import {
  EMBEDDED_STORE_CONNECTIONS,
  type WorkerControl,
  type WorkerSettings,
} from './wiring/thread-contracts.ts';

const pool = joinPool<WorkerSettings, SharedMemory>();
const { index, settings, shared } = pool.start;
// structured cloning does not preserve frozen objects
const config = deepFreeze(settings.config);
const logger = createLogger({
  level: config.log.level,
  sink: pool.logSink,
  fields: { thread: `worker-${index}` },
});
const metrics = new Metrics();
metrics.addRuntimeMetrics('worker');
const meter = new StoreMeter(metrics, systemClock);
const faults = new Faults(metrics, logger);

const stores = new Map(
  Object.entries(config.backends).map(([name, backend]) => [name, storeOf(name, backend)]),
);
const archived = new RequestedObjects(systemClock);
const gateway = new Gateway({
  domain: config.domain,
  buckets: bucketTable(),
  authenticate: createAuthenticator(config.clients, systemClock),
  policy: grantPolicy(anonymousGrants(), config.clients),
  memory: shared,
  worker: index,
  recordBytes: settings.recordBytesPerWorker,
  metrics,
  meter,
  accessLog: config.log.access ? logger : undefined,
  onArchivedRead: read => archived.note(read),
  onUnwritten: ({ message, object, from, to }) => logger.error({ object, from, to }, message),
  clock: systemClock,
  limits: config.limits,
  random: Math.random,
  faults,
});
pool.onPeer((peer, port) => gateway.connect(peer, port));

const control: WorkerControl = {
  metrics: () => metrics.snapshot(),
  purge: request => gateway.purge(request),
  archivedReads: () => archived.recent(),
  restore: request => gateway.restore(request),
  describe: ({ bucket, key }) => gateway.describe(bucket, key),
};
pool.serveControl(control);
await pool.listen({
  handle: gateway.handle,
  answerUnreadable: why => gateway.answerUnreadable(why),
  logger,
  limits: config.limits,
  room:
    settings.files === undefined
      ? undefined
      : {
          connections: settings.files.clientsPerWorker,
          clock: systemClock,
        },
});

/** Workers reach an embedded store through its socket, like any other store. */
function storeOf(name: string, backend: BackendConfig): Store {
  const common = { name, clock: systemClock, meter, faults, headerPrefix: backend.headerPrefix };
  const connections = connectionsOf(backend);
  if (backend.type === 's3') return new S3Store({ ...common, ...backend, connections });
  const access = settings.stores.get(name);
  if (!access) throw new RangeError(`the embedded store ${name} was not started`);
  return new S3Store({
    ...common,
    endpoint: access.endpoint,
    region: regionOf(backend),
    addressing: 'path',
    credentials: { kind: 'static', ...access.credentials },
    connections,
    queue: { size: 512, waitMs: 2_000 },
    timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
    minRateBytes: 1_024,
  });
}

/** As many as the limit of open files allows: beyond it, connections of clients would fail. */
function connectionsOf(backend: BackendConfig): number {
  const configured = backend.type === 's3' ? backend.connections : EMBEDDED_STORE_CONNECTIONS;
  return Math.max(1, Math.floor(configured * (settings.files?.storeShare ?? 1)));
}

function bucketTable(): BucketTable {
  const named = new Map<string, Bucket>();
  for (const [name, bucket] of Object.entries(config.buckets)) {
    if (name !== EVERY_OTHER_BUCKET)
      named.set(name, { ...bucketOf(name, name, bucket), policyFor: policyOf(bucket) });
  }
  const others = config.buckets[EVERY_OTHER_BUCKET];
  if (!others) return new BucketTable(named, undefined);
  const isOther = otherBucketNames(config);
  const policyFor = policyOf(others);
  return new BucketTable(named, name =>
    isOther(name) ? { ...bucketOf(name, '_other', others), policyFor } : undefined,
  );
}

function policyOf(bucket: BucketConfig): Bucket['policyFor'] {
  const rules = bucket.rules.map(rule => ({ covers: compileKeyPatterns(rule.keys), cache: rule.cache }));
  return key => rules.find(rule => rule.covers(key))?.cache ?? bucket.cache;
}

function bucketOf(name: string, label: string, bucket: BucketConfig): Omit<Bucket, 'policyFor'> {
  const store = stores.get(bucket.backend);
  const backend = config.backends[bucket.backend];
  if (!store || !backend) throw new RangeError(`no backend ${bucket.backend}`);
  const bucketAtStore = bucket.bucket ?? name;
  return {
    name,
    label,
    store,
    region: regionOfBucket(name, bucketAtStore, regionOf(backend)),
    headerPrefix: backend.headerPrefix,
    bucketAtStore,
    // Amazon's hosts have no administration paths: every path is an object
    meetsAdministration:
      backend.type === 's3' &&
      backend.addressing === 'virtual' &&
      !/\.amazonaws\.com(?:\.cn)?\.?$/.test(new URL(backend.endpoint).hostname),
    keyPrefix: bucket.keyPrefix,
    keys: keysOf(backend),
    listingKey: listingKeyOf(secretOf(bucket.backend, backend), bucket.backend),
    customerKeys: bucket.customerKeys,
  };
}

/** The embedded store uses the default region of stores that do not specify one. */
function regionOf(backend: BackendConfig): string {
  return backend.type === 's3' ? backend.region : 'us-east-1';
}

/** A secret that clients do not know: the backend's own, or one of this process for a store without credentials. */
function secretOf(name: string, backend: BackendConfig): string {
  const credentials = backend.type === 's3' ? backend.credentials : settings.stores.get(name)?.credentials;
  const secret = credentials && 'secretAccessKey' in credentials ? credentials.secretAccessKey : undefined;
  return secret ?? settings.listingSecret;
}

function anonymousGrants(): Record<string, BucketConfig['anonymous']> {
  return Object.fromEntries(Object.entries(config.buckets).map(([name, bucket]) => [name, bucket.anonymous]));
}
