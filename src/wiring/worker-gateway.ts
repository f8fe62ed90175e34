/** Part of the composition roots of a worker and of `tidegate check`: the gateway of one worker. */
import { OutageLog } from '../backend/outage-log.ts';
import { S3Store } from '../backend/s3/s3-store.ts';
import type { Store } from '../backend/store.ts';
import { StoreMeter } from '../backend/store-meter.ts';
import type { Clock } from '../base/clock.ts';
import { Faults, guardedClock } from '../base/faults.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import { EpochSlots } from '../cache/epoch-slots.ts';
import type { SharedMemory } from '../cache/shared-memory.ts';
import { serverTlsOf } from '../config/backend-certificates.ts';
import type { BackendConfig, BucketConfig, GatewayConfig } from '../config/gateway-config.ts';
import { Gateway } from '../gateway/gateway.ts';
import type { ArchivedRead } from '../gateway/reply/exchange-observer.ts';
import { createAuthenticator, createFormAuthenticator } from '../gateway/request/authenticator.ts';
import { grantPolicy } from '../gateway/request/grant-policy.ts';
import { createBuckets, regionOf } from './buckets.ts';
import { EMBEDDED_STORE_CONNECTIONS, type WorkerSettings } from './thread-contracts.ts';

interface WorkerGatewayParts {
  readonly settings: WorkerSettings;
  /** The index of the worker. */
  readonly worker: number;
  readonly memory: SharedMemory;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onArchivedRead: (read: ArchivedRead) => void;
}

/** Builds the stores and grants of the configuration, and the gateway that serves them. */
export function createWorkerGateway(parts: WorkerGatewayParts): Gateway {
  const { settings, worker, memory, metrics, logger, clock, onArchivedRead } = parts;
  const { config } = settings;
  const meter = new StoreMeter(metrics);
  const faults = new Faults(metrics, logger);
  const stores = storesOf(settings, { clock: guardedClock(clock, faults), meter, faults, logger });
  return new Gateway({
    domain: config.domain,
    buckets: createBuckets(settings, { stores, slots: new EpochSlots(memory) }),
    authenticate: createAuthenticator(config.clients, clock),
    authenticateForm: createFormAuthenticator(config.clients, clock),
    policy: grantPolicy(anonymousGrants(config), config.clients),
    ...{ memory, worker, metrics, meter, onArchivedRead, clock, faults },
    recordBytes: settings.recordBytesPerWorker,
    accessLog: config.log.access ? logger : undefined,
    logger,
    onUnwritten: ({ message, object, from, to }) => logger.error({ object, from, to }, message),
    limits: config.limits,
    random: Math.random,
  });
}

interface StoreParts {
  readonly clock: Clock;
  readonly meter: StoreMeter;
  readonly faults: Faults;
  readonly logger: Logger;
}

function storesOf(settings: WorkerSettings, parts: StoreParts): ReadonlyMap<string, Store> {
  const backends = Object.entries(settings.config.backends);
  return new Map(
    backends.map(([name, backend], index) => {
      const outages = new OutageLog({
        ...{ ...parts, store: name, shared: settings.outages, index },
        countFailure: cause => parts.meter.failed(name, cause),
      });
      return [name, storeOf(name, backend, settings, { ...parts, outages })];
    }),
  );
}

/** Workers reach an embedded store through its socket, like any other store. */
function storeOf(
  name: string,
  backend: BackendConfig,
  settings: WorkerSettings,
  parts: StoreParts & { readonly outages: OutageLog },
): Store {
  const common = { ...parts, name, headerPrefix: backend.headerPrefix };
  const connections = connectionsOf(backend, settings);
  if (backend.type === 's3') {
    return new S3Store({ ...common, ...backend, tls: serverTlsOf(backend), connections });
  }
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
function connectionsOf(backend: BackendConfig, { files }: WorkerSettings): number {
  const configured = backend.type === 's3' ? backend.connections : EMBEDDED_STORE_CONNECTIONS;
  return Math.max(1, Math.floor(configured * (files?.storeShare ?? 1)));
}

function anonymousGrants({ buckets }: GatewayConfig): Record<string, BucketConfig['anonymous']> {
  return Object.fromEntries(Object.entries(buckets).map(([name, bucket]) => [name, bucket.anonymous]));
}
