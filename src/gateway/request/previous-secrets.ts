import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { CounterCell, Family, Metrics } from '../../base/metrics.ts';

/** One line in this time tells of each access key. */
const QUIET_MS = 60_000;

interface WatchedKey {
  readonly requests: CounterCell;
  quietUntilMs: number;
}

/**
 * Tells operators whether the previous secret of an access key is still signed with, and where: it may go when nobody
 * does.
 */
export class PreviousSecrets {
  readonly #requests: Family<CounterCell>;
  readonly #logger: Logger | undefined;
  readonly #clock: Clock;
  #watched = new Map<string, WatchedKey>();

  constructor(metrics: Metrics, logger: Logger | undefined, clock: Clock) {
    this.#requests = metrics.counter(
      'tidegate_previous_secret_requests_total',
      'Requests signed with the previous secret of an access key that has two.',
      ['access_key'],
    );
    this.#logger = logger;
    this.#clock = clock;
  }

  /** @param accessKeyIds those that have a previous secret; each is counted from zero on */
  watch(accessKeyIds: readonly string[]): void {
    const watched = accessKeyIds.map(id => {
      const fresh = { requests: this.#requests.cell(id), quietUntilMs: Number.NEGATIVE_INFINITY };
      return [id, this.#watched.get(id) ?? fresh] as const;
    });
    const before = this.#watched.keys();
    this.#watched = new Map(watched);
    for (const id of before) if (!this.#watched.has(id)) this.#requests.remove(id);
  }

  /** @param client the address that a request came from, where it is known */
  used(accessKeyId: string, client: string | undefined): void {
    const watched = this.#watched.get(accessKeyId);
    // a request that began before a reload may have signed with a secret that is gone
    if (!watched) return;
    watched.requests.add();
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < watched.quietUntilMs) return;
    watched.quietUntilMs = nowMs + QUIET_MS;
    this.#logger?.info(
      { accessKey: accessKeyId, client },
      'a request was signed with the previous secret of its access key',
    );
  }
}
