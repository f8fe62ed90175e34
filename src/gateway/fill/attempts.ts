import { StoreError } from '../../backend/store.ts';
import { isPassing } from './fill-error.ts';

/** So often a transfer is asked for without any progress before it is given up. */
const attemptsWithoutProgress = 5;

/** So often it may be too slow: each time has cost its readers seconds, even if some bytes have come. */
const timeoutLimit = 3;

const firstDelayMs = 50;
const longestDelayMs = 1_000;

/** How often a transfer has failed, and what follows from that. */
export class Attempts {
  #withoutProgress = 0;
  #timeouts = 0;

  /** Bytes have come. */
  progressed(): void {
    this.#withoutProgress = 0;
  }

  /** Whether the transfer may be tried again after `error`. */
  mayFollow(error: Error): boolean {
    const isTimeout = error instanceof StoreError && error.code === 'TIMEOUT';
    if (isTimeout && ++this.#timeouts >= timeoutLimit) return false;
    return isPassing(error) && this.#withoutProgress < attemptsWithoutProgress;
  }

  /**
   * How long to wait before the next try.
   *
   * @param random a number in [0, 1): spreads those that broke together.
   */
  nextDelayMs(random: number): number {
    const withoutProgress = this.#withoutProgress++;
    if (withoutProgress === 0) return 0;
    return Math.min(longestDelayMs, firstDelayMs * 2 ** (withoutProgress - 1)) * (0.5 + random / 2);
  }
}
