import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** Lines at once, and how long until there may be one more. */
const BURST = 10;
const PER_LINE_MS = 6_000;

/**
 * Lines of the log of which strangers decide how many there are: ten at once and ten a minute at most. The next line tells
 * how many were left out.
 */
export class LimitedLines {
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

  write(level: 'info' | 'warn', fields: object, message: string): void {
    if (!this.#logger.isLevelEnabled(level)) return;
    if (!this.#mayWrite()) {
      this.#leftOut++;
      return;
    }
    const leftOut = this.#leftOut || undefined;
    this.#leftOut = 0;
    this.#logger[level]({ ...fields, leftOut }, message);
  }

  #mayWrite(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const more = Math.floor((nowMs - this.#filledMs) / PER_LINE_MS);
    this.#tokens = Math.min(BURST, this.#tokens + more);
    this.#filledMs += more * PER_LINE_MS;
    if (this.#tokens === 0) return false;
    this.#tokens--;
    return true;
  }
}
