/** Part of the composition root of `tidegate check --connect`: probes the configured stores. */
import { type ProbeResult, probeReach, probeStore } from '../backend/probe-store.ts';
import { S3Store } from '../backend/s3/s3-store.ts';
import { StoreMeter } from '../backend/store-meter.ts';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import { serverTlsOf } from '../config/backend-certificates.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';

/** However many buckets there are, and however slowly stores answer. */
const LIMIT_MS = 30_000;

/** Probes all stores that are not embedded, concurrently; what is unanswered after `limitMs` is given up. */
export async function connectToStores(
  config: GatewayConfig,
  limitMs = LIMIT_MS,
): Promise<ReadonlyMap<string, readonly ProbeResult[]>> {
  const signal = AbortSignal.timeout(limitMs);
  const results = Object.entries(config.backends).map(async ([name, backend]) =>
    backend.type === 's3' ? [[name, await probeBackend(name, backend, config, signal)] as const] : [],
  );
  return new Map((await Promise.all(results)).flat());
}

/** Probes the buckets one after the other, so that a missing bucket is found whatever the others answer. */
async function probeBackend(
  name: string,
  backend: Extract<BackendConfig, { type: 's3' }>,
  { buckets }: GatewayConfig,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const meter = new StoreMeter(new Metrics());
  const store = new S3Store({ ...backend, tls: serverTlsOf(backend), name, clock: systemClock, meter });
  const places = Object.entries(buckets).flatMap(
    ([client, { backend: named, bucket = client, keyPrefix }]) =>
      named === name && client !== EVERY_OTHER_BUCKET ? [{ bucket, keyPrefix }] : [],
  );
  try {
    if (places.length === 0) return [await probeReach(store, signal)];
    const results: ProbeResult[] = [];
    for (const place of places) {
      const result = await probeStore(store, place, signal);
      results.push(result);
      if (result.kind === 'unreachable') break;
    }
    return results;
  } finally {
    await store.close();
  }
}
