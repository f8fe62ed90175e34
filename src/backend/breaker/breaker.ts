import type { Clock } from '../../base/clock.ts';
import {
  type Admission,
  admit,
  afterFailures,
  afterTrial,
  type BreakerState,
  type BreakerTimes,
  type TrialEnd,
} from './breaker-state.ts';
import { type BreakerWords, decodeState, encodeState } from './breaker-word.ts';
import { FailureWindow } from './failure-window.ts';

/** When a breaker opens, and when it closes again. */
interface BreakerSettings extends BreakerTimes {
  /** The share of failed calls that opens it, from 0 to 1. */
  readonly threshold: number;
  /** With fewer calls within the window nothing is concluded. */
  readonly minRequests: number;
  readonly windowMs: number;
}

/** A change of state, with what this thread has counted. */
export interface BreakerChange {
  readonly to: BreakerState['kind'];
  readonly calls: number;
  readonly failures: number;
}

interface BreakerOptions {
  readonly settings: BreakerSettings;
  /** Where the state is held. */
  readonly words: BreakerWords;
  readonly index: number;
  /** See `encodeState`. */
  readonly address: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Told of each change in the one thread that has made it. */
  readonly changed: (change: BreakerChange) => void;
}

/**
 * The circuit breaker of one store in one thread. Each thread counts its own calls; the state is shared, since a store
 * that fails for one thread fails for all: the first one that has seen enough opens it for all of them, and together they
 * try the store with a few calls only. Threads exchange the state in one step, so that each change has one author.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #window: FailureWindow;
  #countedSinceMs = 0;
  readonly #onOpen = new Set<() => void>();

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#window = new FailureWindow(options.settings.windowMs);
  }

  get state(): BreakerState {
    return decodeState(this.#load(), this.#options.address);
  }

  /** Whether a call would be refused now; takes no place among the calls that try the store. */
  get isRefusing(): boolean {
    const { clock, settings } = this.#options;
    return admit(this.state, clock.monotonicMs(), settings).admission === 'refuse';
  }

  /** Calls `callback` whenever this thread opens the breaker. */
  onOpen(callback: () => void): void {
    this.#onOpen.add(callback);
  }

  /** Whether a call may be sent now. The end of one that tries the store has to be told by `tried`. */
  admit(): Admission {
    let admission: Admission = 'send';
    this.#exchange((state, nowMs) => {
      const verdict = admit(state, nowMs, this.#options.settings);
      admission = verdict.admission;
      return verdict.next;
    });
    return admission;
  }

  /** A call that tried the store has ended. */
  tried(end: TrialEnd): void {
    this.#exchange((state, nowMs) => afterTrial(state, end, nowMs, this.#options.settings));
  }

  succeeded(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#forgetOld();
    this.#window.succeeded(nowMs);
  }

  /** @param object see `FailureWindow.failed` */
  failed(object: string | undefined): void {
    const { clock, settings } = this.#options;
    this.#forgetOld();
    this.#window.failed(object, clock.monotonicMs());
    const { calls, failures } = this.#window;
    if (calls < settings.minRequests || failures < settings.threshold * calls) return;
    this.#exchange((state, nowMs) => afterFailures(state, nowMs, settings));
  }

  /** What was counted before the breaker closed is of the time before. */
  #forgetOld(): void {
    const { state } = this;
    if (state.kind !== 'closed' || state.sinceMs <= this.#countedSinceMs) return;
    this.#countedSinceMs = state.sinceMs;
    this.#window.clear();
  }

  #load(): bigint {
    const { words, index } = this.#options;
    return Atomics.load(words, index);
  }

  /** Replaces the state by what `step` makes of it, which is repeated where another thread was faster. */
  #exchange(step: (state: BreakerState, nowMs: number) => BreakerState): void {
    const { words, index, address, clock } = this.#options;
    for (;;) {
      const word = this.#load();
      const state = decodeState(word, address);
      const next = step(state, clock.monotonicMs());
      if (next === state) return;
      if (Atomics.compareExchange(words, index, word, encodeState(next, address)) !== word) continue;
      if (next.kind !== state.kind) this.#tell(next.kind);
      return;
    }
  }

  #tell(to: BreakerState['kind']): void {
    const { calls, failures } = this.#window;
    this.#options.changed({ to, calls, failures });
    if (to === 'open') for (const callback of this.#onOpen) callback();
  }
}
