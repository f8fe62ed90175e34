import { StoreError } from '../../backend/store.ts';
import { isTransient } from './fill-error.ts';

/** Bytes that must arrive before retries are counted from zero again: a few at a time would allow endless retries. */
const PROGRESS_BYTES = 64 * 1024;

const LONGEST_DELAY_MS = 1_000;

interface RetryLimits {
  /** Retries without progress before the request fails. */
  readonly retries: number;
  /** Timeouts before the request fails: each has cost its readers seconds, even if bytes arrived in between. */
  readonly timeouts: number;
  /** How many retries are immediate. The next one waits for `firstDelayMs`, and each later one twice as long. */
  readonly atOnce: number;
  readonly firstDelayMs: number;
}

/** The store whose requests are repeated. */
interface RetriedStore {
  readonly backend: string;
  /** See `Store.mayRetry`. */
  mayRetry(): boolean;
}

/** What all repeated requests of a worker share. */
export interface RetryContext {
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Counts a repeated request to `backend`. */
  readonly retried: (backend: string, reason: string) => void;
}

/** Decides whether and when a request to a store is repeated: exponential back-off with jitter. */
export class Retries {
  readonly #limits: RetryLimits;
  #withoutProgress = 0;
  #arrivedBytes = 0;
  #timeouts = 0;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
  }

  /** Whether no failure of the next attempt can be followed by another one. */
  get isLast(): boolean {
    return this.#withoutProgress >= this.#limits.retries;
  }

  /** `lengthBytes` have arrived. */
  progressed(lengthBytes: number): void {
    this.#arrivedBytes += lengthBytes;
    if (this.#arrivedBytes >= PROGRESS_BYTES) this.#withoutProgress = 0;
  }

  /** The delay before the request is repeated after `error`, which is counted; undefined if it may not be repeated. */
  delayAfterMs(error: unknown, store: RetriedStore, { random, retried }: RetryContext): number | undefined {
    if (!(error instanceof Error) || !this.mayFollow(error) || !store.mayRetry()) return undefined;
    retried(store.backend, retryReason(error));
    return this.nextDelayMs(random());
  }

  /** Whether the request may be repeated after `error`. */
  mayFollow(error: Error): boolean {
    const isTimeout = error instanceof StoreError && error.code === 'TIMEOUT';
    if (isTimeout && ++this.#timeouts >= this.#limits.timeouts) return false;
    return isTransient(error) && !this.isLast;
  }

  /**
   * The delay before the next attempt.
   *
   * @param random a number in [0, 1), for jitter
   */
  nextDelayMs(random: number): number {
    this.#arrivedBytes = 0;
    const { atOnce, firstDelayMs } = this.#limits;
    const doublings = this.#withoutProgress++ - atOnce;
    if (doublings < 0) return 0;
    return Math.min(LONGEST_DELAY_MS, firstDelayMs * 2 ** doublings) * (0.5 + random / 2);
  }
}

/** Why a request is repeated, for metrics. */
function retryReason(error: Error): string {
  return error instanceof StoreError ? error.code.toLowerCase() : 'status';
}
