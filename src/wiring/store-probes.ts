/** Part of a worker's composition root: one worker sends the probes of all stores. */
import type { S3Store } from '../backend/s3/s3-store.ts';
import { StoreProber } from '../backend/store-prober.ts';
import type { Clock } from '../base/clock.ts';
import { bucketsAt } from '../config/bucket-places.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';

export class StoreProbes {
  readonly #clock: Clock;
  #probers: readonly StoreProber[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the probes by those of `config`. */
  use(config: GatewayConfig, stores: ReadonlyMap<string, Pick<S3Store, 'send'>>): void {
    for (const prober of this.#probers) prober.stop();
    this.#probers = Object.entries(config.backends).flatMap(([name, backend]) => {
      const store = stores.get(name);
      if (!store || backend.type !== 's3' || backend.probe === undefined) return [];
      const { everyMs } = backend.probe;
      return [new StoreProber({ store, bucket: askedBucketAt(name, config), everyMs, clock: this.#clock })];
    });
  }
}

/**
 * What the first bucket that is configured by name is called at a backend: one of this backend, or one of another that has this
 * one as its fallback.
 */
export function askedBucketAt(
  backend: string,
  config: Pick<GatewayConfig, 'buckets' | 'backends'>,
): string | undefined {
  const [first] = bucketsAt(backend, config);
  return first?.place.bucket;
}
