/** Part of a worker's composition root: one worker sends the probes of all stores. */
import type { S3Store } from '../backend/s3/s3-store.ts';
import { StoreProber } from '../backend/store-prober.ts';
import type { Clock } from '../base/clock.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';

export class StoreProbes {
  readonly #clock: Clock;
  #probers: readonly StoreProber[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the probes by those of `config`. */
  use({ backends, buckets }: GatewayConfig, stores: ReadonlyMap<string, Pick<S3Store, 'send'>>): void {
    for (const prober of this.#probers) prober.stop();
    this.#probers = Object.entries(backends).flatMap(([name, backend]) => {
      const store = stores.get(name);
      if (!store || backend.type !== 's3' || backend.probe === undefined) return [];
      const { everyMs } = backend.probe;
      return [new StoreProber({ store, bucket: bucketAt(name, buckets), everyMs, clock: this.#clock })];
    });
  }
}

/** The first bucket of a backend that is configured by name. */
export function bucketAt(backend: string, buckets: GatewayConfig['buckets']): string | undefined {
  for (const [name, { backend: of, bucket = name }] of Object.entries(buckets))
    if (of === backend && name !== EVERY_OTHER_BUCKET) return bucket;
  return undefined;
}
