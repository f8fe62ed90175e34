import { StoreError } from '../../backend/store.ts';
import { isTransient } from './fill-error.ts';

const LONGEST_DELAY_MS = 1_000;

export interface RetryLimits {
  /** So often it is tried again without any progress before it is given up. */
  readonly retries: number;
  /** So often it may time out: each time has cost its readers seconds, even if some bytes have come. */
  readonly timeouts: number;
  /** How many of the retries come at once; those after wait for `firstDelayMs`, and then for twice as long each. */
  readonly atOnce: number;
  readonly firstDelayMs: number;
}

/** Whether and when a request to a store is sent again: exponential back-off with jitter. */
export class Retries {
  readonly #limits: RetryLimits;
  #withoutProgress = 0;
  #timeouts = 0;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
  }

  /** Bytes have come. */
  progressed(): void {
    this.#withoutProgress = 0;
  }

  /** Whether it may be tried again after `error`. */
  mayFollow(error: Error): boolean {
    const isTimeout = error instanceof StoreError && error.code === 'TIMEOUT';
    if (isTimeout && ++this.#timeouts >= this.#limits.timeouts) return false;
    return isTransient(error) && this.#withoutProgress < this.#limits.retries;
  }

  /**
   * How long to wait before the next try.
   *
   * @param random a number in [0, 1): spreads those that broke together.
   */
  nextDelayMs(random: number): number {
    const { atOnce, firstDelayMs } = this.#limits;
    const doublings = this.#withoutProgress++ - atOnce;
    if (doublings < 0) return 0;
    return Math.min(LONGEST_DELAY_MS, firstDelayMs * 2 ** doublings) * (0.5 + random / 2);
  }
}
