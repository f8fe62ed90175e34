import type { Clock, Timer } from '../../src/base/clock.ts';

/** A clock that stands still until a test moves it; due timers run in order while it moves. */
export class ManualClock implements Clock {
  #nowMs: number;
  #elapsedMs = 0;
  readonly #timers = new Set<{ dueMs: number; callback: () => void }>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = { dueMs: this.#elapsedMs + delayMs, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Moves time forward by `milliseconds`, running each timer at the moment it is due. */
  advance(milliseconds: number): void {
    const endMs = this.#elapsedMs + milliseconds;
    for (let next = this.#nextDue(endMs); next; next = this.#nextDue(endMs)) {
      this.#timers.delete(next);
      this.#moveTo(Math.max(this.#elapsedMs, next.dueMs));
      next.callback();
    }
    this.#moveTo(endMs);
  }

  /** Timers that are set. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Time in which the process does not run: timers that become due meanwhile run late, with the next `advance`. */
  holdUp(milliseconds: number): void {
    this.#moveTo(this.#elapsedMs + milliseconds);
  }

  /** Steps the wall clock (forward or back) without elapsed time, as an operator or NTP would. */
  stepWallClock(milliseconds: number): void {
    this.#nowMs += milliseconds;
  }

  #moveTo(elapsedMs: number): void {
    this.#nowMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }

  #nextDue(endMs: number) {
    let next: { dueMs: number; callback: () => void } | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (!next || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}

/** Waits for `answer`, for which time has to pass: a millisecond in each turn of the event loop. */
export async function whileTimePasses<Answer>(clock: ManualClock, answer: Promise<Answer>): Promise<Answer> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  answer.then(end, end);
  while (!isOver) {
    await new Promise(resolve => setImmediate(resolve));
    clock.advance(1);
  }
  return answer;
}
