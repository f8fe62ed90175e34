import type { Clock, Timer } from '../base/clock.ts';
import { afterReading } from '../base/patient-timer.ts';
import { isRetryableStatus, type StoreRequest } from './store.ts';

/** How much of the body of an error (300 and above) is awaited. */
export interface ErrorBodyLimits {
  readonly lengthBytes: number;
  readonly durationMs: number;
}

/**
 * How long a body is awaited that nobody is told. It usually comes with its head: then the connection stays in use, and the
 * circuit breaker learns what kind of failure it is.
 */
const UNTOLD_MS = 250;

/** Ends the body of one error at its limits, since some stores never end it, or send it a few bytes at a time. */
export class ErrorBody {
  readonly #cut: () => void;
  readonly #timer: Timer;
  #leftBytes: number;

  private constructor({ lengthBytes, durationMs }: ErrorBodyLimits, clock: Clock, cut: () => void) {
    this.#leftBytes = lengthBytes;
    this.#cut = cut;
    this.#timer = afterReading(clock, durationMs, cut);
  }

  /** The body of an answer with `status`, if that is an error and limited; `cut` ends it. */
  static of(
    status: number,
    { isFailureUntold = false }: Pick<StoreRequest, 'isFailureUntold'>,
    { errorBody: limits, clock }: { readonly errorBody: ErrorBodyLimits | undefined; readonly clock: Clock },
    cut: () => void,
  ): ErrorBody | undefined {
    if (status < 300) return undefined;
    if (!isFailureUntold || !isRetryableStatus(status)) return limits && new ErrorBody(limits, clock, cut);
    const { lengthBytes, durationMs } = limits ?? { lengthBytes: Infinity, durationMs: Infinity };
    return new ErrorBody({ lengthBytes, durationMs: Math.min(durationMs, UNTOLD_MS) }, clock, cut);
  }

  arrived(lengthBytes: number): void {
    this.#leftBytes -= lengthBytes;
    if (this.#leftBytes <= 0) this.#cut();
  }

  end(): void {
    this.#timer.cancel();
  }
}
