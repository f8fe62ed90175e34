import type { Clock, Timer } from '../base/clock.ts';
import { ERROR_BODY_LIMIT_BYTES } from './store.ts';

/** Minimum speed of an answer. */
export interface TransferLimits {
  /** Time limit for the final head of the answer; undefined: none. Informational (1xx) heads do not extend it. */
  readonly headMs: number | undefined;
  /** Minimum rate of the body in bytes per second, measured over `windowMs`; 0: no minimum. */
  readonly minRateBytes: number;
  readonly windowMs: number;
}

/**
 * The body of an error ends so long after its head, whatever of it is still to come: retries and the fallback wait for it.
 * Error documents of a few hundred bytes come with the head.
 */
const ERROR_BODY_MS = 1_000;

/** Which limits hold for an answer. */
interface WatchedAnswer {
  /** Its body is cut off at `ERROR_BODY_LIMIT_BYTES` and after `ERROR_BODY_MS`, and has no minimum rate. */
  readonly isError: boolean;
  /** Whether the minimum rate applies: a store that needs long for a write sends white space until it knows the result. */
  readonly isTimed: boolean;
}

/** A timer that runs so much later than it was due shows that this thread was blocked. */
const LATE_MS = 20;

/** Time to read what arrived while the thread was blocked: timers run before sockets are read. */
const GRACE_MS = 500;

/**
 * Detects answers that arrive too slowly, and errors whose bodies are too long. Time in which the reader has paused the
 * answer does not count.
 */
export class TransferWatch {
  readonly #limits: TransferLimits;
  readonly #clock: Clock;
  readonly #tooSlow: () => void;
  #timer: Timer | undefined;
  #answer: WatchedAnswer | undefined;
  #bytes = 0;
  #windowBytes = 0;

  constructor(limits: TransferLimits, clock: Clock, tooSlow: () => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tooSlow = tooSlow;
    if (limits.headMs !== undefined) this.#after(limits.headMs, tooSlow);
  }

  get isError(): boolean {
    return this.#answer?.isError === true;
  }

  /** Whether no more of the answer is wanted. */
  get isFull(): boolean {
    return this.isError && this.#bytes >= ERROR_BODY_LIMIT_BYTES;
  }

  answered(answer: WatchedAnswer): void {
    this.#answer = answer;
    this.wanted();
  }

  arrived(lengthBytes: number): void {
    this.#bytes += lengthBytes;
    this.#windowBytes += lengthBytes;
  }

  /** The reader wants bytes: starts measuring. */
  wanted(): void {
    if (!this.#answer) return;
    this.end();
    const { minRateBytes, windowMs } = this.#limits;
    if (this.#answer.isError) this.#after(ERROR_BODY_MS, this.#tooSlow);
    if (this.#answer.isError || minRateBytes === 0 || !this.#answer.isTimed) return;
    this.#windowBytes = 0;
    this.#after(windowMs, () => {
      if (this.#windowBytes * 1000 < minRateBytes * windowMs) this.#tooSlow();
      else this.wanted();
    });
  }

  /** The reader has paused: stops measuring. */
  unwanted(): void {
    if (this.#answer) this.end();
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Calls `due` after `delayMs`, and if this thread was blocked by then, after a grace period; nothing extends it twice. */
  #after(delayMs: number, due: () => void): void {
    const dueMs = this.#clock.monotonicMs() + delayMs;
    this.#timer = this.#clock.after(delayMs, () => {
      if (this.#clock.monotonicMs() <= dueMs + LATE_MS) due();
      else this.#timer = this.#clock.after(GRACE_MS, due);
    });
  }
}
