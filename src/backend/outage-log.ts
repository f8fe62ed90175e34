import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { aboutSignatures } from '../s3/store-refusal.ts';
import { GIVEN_UP, NO_ANSWER, type StoreError } from './store.ts';

/** A store works again once it has answered and nothing has failed for so long. */
const QUIET_MS = 5_000;

/** Longest logged text of an error. */
const TEXT_LIMIT = 300;

/** Places of the words that all threads share for one store. */
const [CAUSE, LAST_FAILURE, FAILURES, SINCE, FIRST_CAUSE] = [0, 1, 2, 3, 4];
const CAUSES = 60;
const WORDS = FIRST_CAUSE + CAUSES;

/** The states of all stores, shared by the threads of a process so that a change is logged by one of them only. */
export interface SharedOutages {
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Times are held in tenths of a second since this moment. */
  readonly epochMs: number;
}

export function allocateOutages(stores: number, clock: Clock): SharedOutages {
  const memory = new SharedArrayBuffer(stores * WORDS * Int32Array.BYTES_PER_ELEMENT);
  // 0 means never
  return { words: new Int32Array(memory), epochMs: clock.nowMs() - 60_000 };
}

interface OutageLogOptions {
  readonly store: string;
  readonly shared: SharedOutages;
  /** The place of the store in `shared`. */
  readonly index: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts a failure with this cause in the metrics. */
  readonly countFailure: (cause: string) => void;
}

/**
 * Logs when requests to a store begin to fail, when the cause changes, and when the store works again: one line each,
 * whatever the number of requests and threads. A cause counts as changed when it is new in this outage, or when the one
 * logged last has not been seen for `QUIET_MS`; so causes that alternate give one line each. A store that works only
 * now and then gives two lines in `QUIET_MS` at most.
 */
export class OutageLog {
  readonly #options: OutageLogOptions;
  readonly #words: Int32Array<SharedArrayBuffer>;
  #timer: Timer | undefined;

  constructor(options: OutageLogOptions) {
    this.#options = options;
    this.#words = options.shared.words.subarray(options.index * WORDS, (options.index + 1) * WORDS);
  }

  /**
   * The store answered a request: `status` says whether it worked.
   *
   * @param isUntold whether it may be a refusal of the gateway's own keys or signature that does not say so, as to HEAD: while
   *   the store refuses them, it is no sign that it works again
   */
  answered(status: number, isUntold = false): void {
    // 501 says that an operation does not exist there
    if (status >= 500 && status !== 501) this.#failed(`STATUS_${status}`, `the store answers ${status}`);
    else {
      const cause = Atomics.load(this.#words, CAUSE);
      if (cause !== 0 && !(isUntold && ofSignatures.has(cause))) this.#worked();
    }
  }

  /** The store refused the gateway's own keys or signature with this code, see `aboutSignatures`. */
  refused(code: string): void {
    this.#failed(code, "the store refuses the gateway's own keys or signature");
  }

  /** A request failed without a complete answer. What the gateway itself refused or gave up is no fault of a store. */
  failed(error: StoreError): void {
    const { code, reason } = error;
    if (
      code === 'FAULT' ||
      code === 'CIRCUIT_OPEN' ||
      reason === GIVEN_UP ||
      (code === 'BUSY' && reason !== NO_ANSWER)
    )
      return;
    this.#failed(reason, error.detail ?? error.message);
  }

  #failed(reason: string, text: string): void {
    this.#options.countFailure(reason);
    const words = this.#words;
    const now = this.#now();
    const place = placeOf(reason);
    Atomics.store(words, LAST_FAILURE, now);
    Atomics.add(words, FAILURES, 1);
    const seen = Atomics.exchange(words, place, now);
    const logged = Atomics.load(words, CAUSE);
    if (logged === place) return;
    const isOver = logged !== 0 && this.#elapsedMs(Atomics.load(words, logged)) >= QUIET_MS;
    if (logged !== 0 && seen !== 0 && !isOver) return;
    if (Atomics.compareExchange(words, CAUSE, logged, place) !== logged) return;
    if (logged === 0) Atomics.store(words, SINCE, now);
    const { logger, store } = this.#options;
    const message =
      logged === 0 ? 'requests to the backend fail' : 'requests to the backend fail for another cause';
    logger.warn({ backend: store, cause: reason, error: text.slice(0, TEXT_LIMIT) }, message);
  }

  #worked(): void {
    const leftMs = QUIET_MS - this.#elapsedMs(Atomics.load(this.#words, LAST_FAILURE));
    if (leftMs <= 0) this.#recovered();
    else
      this.#timer ??= this.#options.clock.after(leftMs, () => {
        this.#timer = undefined;
        // else something has failed since, and a later answer decides
        if (this.#elapsedMs(Atomics.load(this.#words, LAST_FAILURE)) >= QUIET_MS) this.#recovered();
      });
  }

  #recovered(): void {
    const words = this.#words;
    const cause = Atomics.load(words, CAUSE);
    if (cause === 0 || Atomics.compareExchange(words, CAUSE, cause, 0) !== cause) return;
    for (let place = FIRST_CAUSE; place < WORDS; place++) Atomics.store(words, place, 0);
    const failures = Atomics.exchange(words, FAILURES, 0);
    const outageS = ((Atomics.load(words, LAST_FAILURE) - Atomics.load(words, SINCE)) | 0) / 10;
    const { logger, store } = this.#options;
    logger.info({ backend: store, failures, outageS: Math.max(0, outageS) }, 'the backend works again');
  }

  /** In tenths of a second; before the epoch, and after 6.8 years, negative. */
  #now(): number {
    const { clock, shared } = this.#options;
    return Math.floor((clock.nowMs() - shared.epochMs) / 100) | 0 || 1;
  }

  /** A wall clock that was set back, even to before the start, must not make an outage endless. */
  #elapsedMs(since: number): number {
    return Math.abs((this.#now() - since) | 0) * 100;
  }
}

/** The causes that are refusals of the gateway's own keys or signature. */
const ofSignatures: ReadonlySet<number> = new Set(Array.from(aboutSignatures, placeOf));

/** Causes that share a place, which is rare, are logged as one. */
function placeOf(reason: string): number {
  let hash = 0;
  for (let index = 0; index < reason.length; index++) hash = (hash * 31 + reason.charCodeAt(index)) >>> 0;
  return FIRST_CAUSE + (hash % CAUSES);
}
