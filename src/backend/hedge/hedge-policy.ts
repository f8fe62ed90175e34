import type { Clock } from '../../base/clock.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** When a read is asked for a second time. */
export interface HedgeSettings {
  /** Reads that take longer than this share of the recent ones. */
  readonly quantile: number;
  /** How many of all reads at most. */
  readonly share: number;
}

/** With fewer recent answers, what is slow is not known. */
const LEAST_ANSWERS = 100;

/** Second requests at once, when none were needed for long. */
const BURST = 10;

/** Decides when the reads of one store are asked for a second time (hedged requests, Dean and Barroso 2013). */
export class HedgePolicy {
  readonly #settings: HedgeSettings;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #latencies = new LatencyHistogram();
  /** Each read earns its share: so there are never more second requests than that share of all reads. */
  #tokens = 0;

  constructor(settings: HedgeSettings, clock: Pick<Clock, 'monotonicMs'>) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** A read begins: after how long it may be asked for again; undefined while that is not known. */
  began(): number | undefined {
    const { share, quantile } = this.#settings;
    this.#tokens = Math.min(BURST, this.#tokens + share);
    return this.#latencies.quantileMs(quantile, LEAST_ANSWERS, this.#clock.monotonicMs());
  }

  /** A first request was answered after `latencyMs`, or was given up then since the second one was faster. */
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
