import type { Clock } from '../../base/clock.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** When a read is sent a second time. */
export interface HedgeSettings {
  /** A read is sent again once it takes longer than this share of the recent reads, for example 0.99. */
  readonly quantile: number;
  /** The largest share of all reads that is sent twice. */
  readonly share: number;
}

/** With fewer recent answers the quantile is not known well enough, and nothing is sent twice. */
const LEAST_ANSWERS = 100;

/** Second requests that may be sent at once after a time in which none were needed. */
const BURST = 10;

/**
 * Decides when the reads of one store are sent a second time (hedged requests; Dean and Barroso, The Tail at Scale,
 * 2013).
 */
export class HedgePolicy {
  readonly #settings: HedgeSettings;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #latencies = new LatencyHistogram();
  /**
   * Each read adds `share` of a token and a second request costs one, so second requests never exceed that share of all
   * reads.
   */
  #tokens = 0;

  constructor(settings: HedgeSettings, clock: Pick<Clock, 'monotonicMs'>) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * A read has been sent. @returns after how many milliseconds it may be sent again; undefined while that is not known
   */
  began(): number | undefined {
    const { share, quantile } = this.#settings;
    this.#tokens = Math.min(BURST, this.#tokens + share);
    return this.#latencies.quantileMs(quantile, LEAST_ANSWERS, this.#clock.monotonicMs());
  }

  /** The first request was answered after `latencyMs`, or was aborted then because the second one was faster. */
  answered(latencyMs: number): void {
    this.#latencies.add(latencyMs, this.#clock.monotonicMs());
  }

  get hasLeft(): boolean {
    // sums of shares such as 0.05 are not exact
    return this.#tokens > 1 - 1e-9;
  }

  take(): void {
    this.#tokens--;
  }
}
