import type { Clock, Timer } from '../../base/clock.ts';
import {
  afterQuestion,
  type BreakerState,
  type BreakerTimes,
  whenAsking,
  whenFailing,
} from './breaker-state.ts';
import { type BreakerWords, decodeState, encodeState } from './breaker-word.ts';
import { FailureWindow } from './failure-window.ts';
import { LastFailure } from './last-failure.ts';

/** For how long a thread suspects nothing after the store has answered its question, though calls fail. */
export const PAUSE_MS = 1_000;

/** When a breaker opens, and when it closes again. */
interface BreakerSettings extends BreakerTimes {
  /** The share of failed calls from which on the store is asked, from 0 to 1. */
  readonly threshold: number;
  /** With fewer calls within the window, the store is not suspected. */
  readonly minRequests: number;
  readonly windowMs: number;
}

/** A change of state, and the calls that this thread has counted. */
export interface BreakerChange {
  readonly from: BreakerState['kind'];
  readonly to: BreakerState['kind'];
  readonly calls: number;
  readonly failures: number;
}

/** What a breaker needs of its store. */
interface GuardedStore {
  /**
   * Sends it a request that no client has chosen, without waiting for other calls.
   *
   * @param judged called once, within a time limit, with whether the store answers as one that works
   */
  ask(judged: (isAlive: boolean) => void): void;
  /** This thread has opened the breaker. */
  opened(): void;
}

interface BreakerOptions {
  readonly settings: BreakerSettings;
  /** Where the state is held. */
  readonly words: BreakerWords;
  readonly index: number;
  /** See `encodeState`. */
  readonly address: number;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  /** Called for each change, only in the thread that made it. */
  readonly changed: (change: BreakerChange) => void;
}

/**
 * The circuit breaker of one store in one thread. Calls that fail are a suspicion only, since clients choose what they ask
 * for, and a few bad objects would do: what opens it is that the store does not answer a question of the breaker's own
 * either. While it is open no call is sent, and that question alone, asked again and again, closes it.
 *
 * Each thread counts its own calls; the state is shared, since a store that fails for one thread fails for all. Threads
 * exchange it in one step, so that each change has one author, and one thread at a time asks a store that is not used.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #window: FailureWindow;
  readonly #lastFailure: LastFailure;
  #countedSinceMs = 0;
  #store: GuardedStore | undefined;
  #isAsking = false;
  /** Before this time the store, which has answered, is not suspected. */
  #restUntilMs = -Infinity;
  /** Until the store is asked again, while the breaker is not closed. */
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#window = new FailureWindow(options.settings.windowMs);
    this.#lastFailure = new LastFailure({
      clock: options.clock,
      ask: judged => {
        // while it is not closed the store is asked anyway
        if (this.state.kind === 'closed') this.#ask(judged);
      },
    });
  }

  get state(): BreakerState {
    return decodeState(this.#load(), this.#options.address);
  }

  /** Whether calls are refused now; then this thread, too, sees to it that the store is asked. */
  get isRefusing(): boolean {
    if (this.state.kind === 'closed') return false;
    this.#watch();
    return true;
  }

  /** The store whose breaker this is. */
  guard(store: GuardedStore): void {
    this.#store = store;
    // the thread that has opened it may have died
    this.#watch();
  }

  /** This thread asks the store nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#lastFailure.stop();
  }

  succeeded(): void {
    this.#lastFailure.succeeded();
    this.#count(false);
  }

  failed(): void {
    this.#lastFailure.failed();
    this.#count(true);
    const { threshold, minRequests } = this.#options.settings;
    const { calls, failures } = this.#window;
    if (calls >= minRequests && failures >= threshold * calls) this.#suspect();
  }

  #count(isFailure: boolean): void {
    const { state } = this;
    // what was counted before the breaker closed is of the time before
    if (state.kind === 'closed' && state.sinceMs > this.#countedSinceMs) {
      this.#countedSinceMs = state.sinceMs;
      this.#window.clear();
    }
    this.#window.count(isFailure, this.#nowMs);
  }

  #suspect(): void {
    if (this.state.kind !== 'closed' || this.#nowMs < this.#restUntilMs) return;
    this.#ask(isAlive => {
      if (!isAlive) this.#exchange((state, nowMs) => whenFailing(state, nowMs, this.#options.settings));
      this.#watch();
    });
  }

  /** Asks the store when it is time for that, unless the breaker is closed. */
  #watch(): void {
    const { state } = this;
    if (state.kind === 'closed' || this.#timer || this.#isStopped) return;
    const delayMs = Math.max(0, state.untilMs - this.#nowMs);
    this.#timer = this.#options.clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#try();
    });
  }

  #try(): void {
    // the end of a question sees to what follows
    if (this.#isAsking) return;
    if (this.#exchange((state, nowMs) => whenAsking(state, nowMs, this.#options.settings))) this.#askOnce();
    else this.#watch();
  }

  #askOnce(): void {
    this.#ask(isAlive => {
      this.#exchange((state, nowMs) => afterQuestion(state, isAlive, nowMs, this.#options.settings));
      if (isAlive && this.state.kind === 'half-open') this.#askOnce();
      else this.#watch();
    });
  }

  /** One question at a time. */
  #ask(judged: (isAlive: boolean) => void): void {
    if (this.#isAsking || this.#isStopped) return;
    this.#isAsking = true;
    this.#store?.ask(isAlive => {
      this.#isAsking = false;
      if (isAlive) this.#restUntilMs = this.#nowMs + PAUSE_MS;
      if (!this.#isStopped) judged(isAlive);
    });
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  #load(): bigint {
    const { words, index } = this.#options;
    return Atomics.load(words, index);
  }

  /**
   * Replaces the state by what `step` makes of it, which is repeated where another thread was faster; false if that is the
   * same.
   */
  #exchange(step: (state: BreakerState, nowMs: number) => BreakerState): boolean {
    const { words, index, address } = this.#options;
    for (;;) {
      const word = this.#load();
      const state = decodeState(word, address);
      const next = step(state, this.#nowMs);
      if (next === state) return false;
      if (Atomics.compareExchange(words, index, word, encodeState(next, address)) !== word) continue;
      if (next.kind !== state.kind) this.#tell(state.kind, next.kind);
      return true;
    }
  }

  #tell(from: BreakerState['kind'], to: BreakerState['kind']): void {
    const { calls, failures } = this.#window;
    this.#options.changed({ from, to, calls, failures });
    if (from === 'closed') this.#store?.opened();
  }
}
