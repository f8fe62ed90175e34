import type { Clock } from '../base/clock.ts';
import { ReaderPause } from './reader-pause.ts';
import type { BodyFlow } from './store.ts';

/**
 * How the client of a call keeps up with the store: whether it takes the answer, and brings the body of its request. One
 * that brings nothing, or too little, is treated like one that takes nothing.
 */
export class ClientPace implements BodyFlow {
  readonly #clock: Clock;
  /** Undefined until the reader has paused the call or reported progress. */
  #reading: ReaderPause | undefined;
  /** Undefined until the body had to be waited for. */
  #sending: ReaderPause | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the reader has paused the answer. */
  get isPaused(): boolean {
    return this.#reading?.sinceMs !== undefined;
  }

  /** Since when the client has been slow; undefined while it is not. */
  get slowSinceMs(): number | undefined {
    return this.#reading?.sinceMs ?? this.#sending?.sinceMs;
  }

  /** Until when the call keeps its connection while others wait; undefined while its client is not slow. */
  get keptUntilMs(): number | undefined {
    return this.#reading?.keptUntilMs ?? this.#sending?.keptUntilMs;
  }

  pause(): void {
    this.#reading ??= new ReaderPause();
    this.#reading.begin(this.#clock.monotonicMs());
  }

  resume(): void {
    this.#reading?.end();
  }

  took(lengthBytes: number): void {
    this.#reading ??= new ReaderPause();
    this.#reading.took(lengthBytes, this.#clock.monotonicMs());
  }

  starved(): void {
    this.#sending ??= new ReaderPause();
    if (this.#sending.sinceMs === undefined) this.#sending.begin(this.#clock.monotonicMs());
  }

  fed(lengthBytes: number): void {
    this.#sending?.catchUp(lengthBytes, this.#clock.monotonicMs());
  }

  satisfied(): void {
    this.#sending?.end();
  }

  /** This process stood still for `durationMs` and could not see what the client did. */
  stoodStill(durationMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    for (const pause of [this.#reading, this.#sending]) pause?.extend(durationMs, nowMs);
  }
}
