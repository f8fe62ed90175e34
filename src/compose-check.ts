/** Part of the composition root of `tidegate check --connect`: stores as the gateway would reach them, asked one question. */
import { type ProbeResult, probeReach, probeStore } from './backend/probe-store.ts';
import { S3Store } from './backend/s3/s3-store.ts';
import { StoreMeter } from './backend/store-meter.ts';
import { systemClock } from './base/clock.ts';
import { Metrics } from './base/metrics.ts';
import type { BackendConfig, GatewayConfig } from './config/gateway-config.ts';
import { everyOtherBucket } from './s3/bucket-name.ts';

/** Asks every store that is not embedded, all at the same time. */
export async function connectToStores(config: GatewayConfig): Promise<ReadonlyMap<string, ProbeResult>> {
  const results = Object.entries(config.backends).map(async ([name, backend]) =>
    backend.type === 's3' ? [[name, await probeBackend(name, backend, config)] as const] : [],
  );
  return new Map((await Promise.all(results)).flat());
}

/** The first of its buckets that tells decides. */
async function probeBackend(
  name: string,
  backend: Extract<BackendConfig, { type: 's3' }>,
  { buckets }: GatewayConfig,
): Promise<ProbeResult> {
  const meter = new StoreMeter(new Metrics(), systemClock);
  const store = new S3Store({ ...backend, name, clock: systemClock, meter });
  const places = Object.entries(buckets).flatMap(
    ([client, { backend: named, bucket = client, keyPrefix }]) =>
      named === name && client !== everyOtherBucket ? [{ bucket, keyPrefix }] : [],
  );
  try {
    let result = places.length === 0 ? await probeReach(store) : undefined;
    for (const place of places) {
      const found = await probeStore(store, place);
      // a bucket that cannot be asked says more than one that has no objects
      if (result === undefined || result.kind === 'unknown') result = found;
      if (found.kind === 'exact' || found.kind === 'path') return found;
      if (found.kind === 'unreachable') break;
    }
    return result ?? { kind: 'unknown', why: 'nothing was asked' };
  } finally {
    await store.close();
  }
}
