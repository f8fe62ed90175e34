import { StoreError } from '../../backend/store.ts';
import { isTransient } from './fill-error.ts';

/** So often a transfer is asked for without any progress before it is given up. */
const ATTEMPTS_WITHOUT_PROGRESS = 5;

/** So often it may be too slow: each time has cost its readers seconds, even if some bytes have come. */
const TIMEOUT_LIMIT = 3;

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1_000;

/** How often a transfer has failed, and what follows from that. */
export class Retries {
  #withoutProgress = 0;
  #timeouts = 0;

  /** Bytes have come. */
  progressed(): void {
    this.#withoutProgress = 0;
  }

  /** Whether the transfer may be tried again after `error`. */
  mayFollow(error: Error): boolean {
    const isTimeout = error instanceof StoreError && error.code === 'TIMEOUT';
    if (isTimeout && ++this.#timeouts >= TIMEOUT_LIMIT) return false;
    return isTransient(error) && this.#withoutProgress < ATTEMPTS_WITHOUT_PROGRESS;
  }

  /**
   * How long to wait before the next try.
   *
   * @param random a number in [0, 1): spreads those that broke together.
   */
  nextDelayMs(random: number): number {
    const withoutProgress = this.#withoutProgress++;
    if (withoutProgress === 0) return 0;
    return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (withoutProgress - 1)) * (0.5 + random / 2);
  }
}
