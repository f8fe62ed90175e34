/** Part of the composition root of `tidegate check --connect`: probes the configured stores. */
import { HttpStore } from '../backend/http/http-store.ts';
import {
  type ProbeResult,
  probeOrigin,
  probeQuestion,
  probeReach,
  probeStore,
} from '../backend/probe-store.ts';
import { S3Store } from '../backend/s3/s3-store.ts';
import { StoreMeter } from '../backend/store-meter.ts';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import type { ProbeResults } from '../cli/connect-report.ts';
import { serverTlsOf } from '../config/backend-certificates.ts';
import { bucketsAt } from '../config/bucket-places.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { ruledFields } from '../gateway/request/bucket.ts';
import { checkedCredentials } from './checked-credentials.ts';
import { compiledRules } from './compiled-rules.ts';
import { probeQueue } from './queue-check.ts';
import { askedPlaceAt } from './store-probes.ts';

/** However many buckets there are, and however slowly stores answer. */
const LIMIT_MS = 30_000;

/** Probes all stores, web origins and the queue of events, concurrently; what is unanswered after `limitMs` is given up. */
export async function connectToStores(config: GatewayConfig, limitMs = LIMIT_MS): Promise<ProbeResults> {
  const signal = AbortSignal.timeout(limitMs);
  const { queue } = config.events;
  const backends = Object.entries(config.backends).map(async ([name, backend]) => {
    return [name, await probeBackend(name, backend, config, signal)] as const;
  });
  const [events, ...results] = await Promise.all([queue ? probeQueue(queue, signal) : [], ...backends]);
  return { backends: new Map(results), queue: events };
}

async function probeBackend(
  name: string,
  backend: BackendConfig,
  config: GatewayConfig,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  switch (backend.type) {
    case 's3':
      return probeS3(name, backend, config, signal);
    case 'http':
      return [await probeWeb(name, backend, config)];
    case 'embedded':
      return [];
  }
}

/** Its circuit breaker waits less long for the answer than `limitMs`. */
async function probeWeb(name: string, backend: WebBackend, config: GatewayConfig): Promise<ProbeResult> {
  const tls = serverTlsOf(backend);
  const origin = new HttpStore({ ...backend, tls, name, ...unguarded() });
  origin.asked = askedPlaceAt(name, config);
  try {
    return await probeOrigin(origin);
  } finally {
    await origin.close();
  }
}

/** What a store has that is asked once. */
function unguarded() {
  return { clock: systemClock, meter: new StoreMeter(new Metrics()), breaker: undefined };
}

/**
 * Obtains credentials where they have a source, then probes the buckets one after the other, so that a missing bucket is
 * found whatever the others answer: its own, and those that it has as the fallback of another backend. A store that answers
 * is also asked the question of its circuit breaker.
 */
async function probeS3(
  name: string,
  backend: S3Backend,
  config: GatewayConfig,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const { found, credentials } = await checkedCredentials(backend, signal);
  if (credentials === undefined) return found;
  const tls = serverTlsOf(backend);
  const store = new S3Store({ ...backend, tls, credentials, name, ...unguarded() });
  store.asked = askedPlaceAt(name, config);
  try {
    const results = await probeBuckets(name, store, config, signal);
    const isReached = results.every(({ kind }) => kind !== 'unreachable');
    const question = isReached && backend.breaker !== false ? [await probeQuestion(store)] : [];
    return [...found, ...question, ...results];
  } finally {
    await store.close();
  }
}

async function probeBuckets(
  backend: string,
  store: S3Store,
  config: GatewayConfig,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = [];
  for (const { place, configured } of bucketsAt(backend, config)) {
    const { keyPrefix } = configured;
    const rulesFor = compiledRules(configured, config);
    const fieldsFor = (key?: string) => ruledFields({ rulesFor }, key?.slice(keyPrefix.length), []);
    const result = await probeStore(store, { bucket: place.bucket, keyPrefix, fieldsFor }, signal);
    results.push(result);
    if (result.kind === 'unreachable') return results;
  }
  return results.length > 0 ? results : [await probeReach(store, signal)];
}

type S3Backend = Extract<BackendConfig, { type: 's3' }>;
type WebBackend = Extract<BackendConfig, { type: 'http' }>;
