/** Part of a worker's composition root: one worker sends the probes of all stores. */
import type { AskedPlace } from '../backend/health-request.ts';
import type { S3Store } from '../backend/s3/s3-store.ts';
import { StoreProber } from '../backend/store-prober.ts';
import type { Clock } from '../base/clock.ts';
import { bucketsAt } from '../config/bucket-places.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { ruledFields } from '../gateway/request/bucket.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { compiledRules } from './compiled-rules.ts';

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
      return [new StoreProber({ store, asked: askedPlaceAt(name, config), everyMs, clock: this.#clock })];
    });
  }
}

/**
 * Where the first bucket that is configured by name is at a backend: one of this backend, or one of another that has this one as
 * its fallback. Where there is none the rules are those of the buckets without a name.
 */
export function askedPlaceAt(
  backend: string,
  config: Pick<GatewayConfig, 'buckets' | 'backends'>,
): AskedPlace {
  const [first] = bucketsAt(backend, config);
  const others = config.buckets[EVERY_OTHER_BUCKET];
  const configured = first?.configured ?? (others?.backend === backend ? others : undefined);
  if (!configured) return { bucket: undefined, fields: [] };
  const rulesFor = compiledRules(configured, config);
  const isWeb = config.backends[backend]?.type === 'http';
  return { bucket: first?.place.bucket, fields: ruledFields({ rulesFor }, isWeb ? '/' : undefined, []) };
}
