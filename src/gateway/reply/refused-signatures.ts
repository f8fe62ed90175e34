import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Exchange } from '../request/exchange.ts';

/** Lines at once, and how long until there may be one more. */
const BURST = 10;
const PER_LINE_MS = 6_000;

/**
 * Warns of refused signatures. Strangers decide how many there are, so there are ten lines at once and ten a minute at
 * most in each worker; the next line tells how many were left out. Nothing is kept of clients.
 */
export class RefusedSignatures {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #tokens = BURST;
  #filledMs: number;
  #leftOut = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
    this.#filledMs = clock.monotonicMs();
  }

  note({ requestId, bucket, errorCode, refusedSignature }: Exchange): void {
    if (!this.#mayLog()) {
      this.#leftOut++;
      return;
    }
    const leftOut = this.#leftOut || undefined;
    this.#leftOut = 0;
    this.#logger.warn(
      { requestId, bucket, code: errorCode, ...refusedSignature, leftOut },
      'a signature was refused',
    );
  }

  #mayLog(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const more = Math.floor((nowMs - this.#filledMs) / PER_LINE_MS);
    this.#tokens = Math.min(BURST, this.#tokens + more);
    this.#filledMs += more * PER_LINE_MS;
    if (this.#tokens === 0) return false;
    this.#tokens--;
    return true;
  }
}
