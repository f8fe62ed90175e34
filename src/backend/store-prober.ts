import type { Clock, Timer } from '../base/clock.ts';
import type { Store, StoreReceiver, StoreRequest } from './store.ts';

interface ProberOptions {
  readonly store: Pick<Store, 'send'>;
  /** The bucket that is listed; undefined: the list of buckets is asked for. */
  readonly bucket: string | undefined;
  readonly everyMs: number;
  /** Whether the circuit breaker is half-open and waits for further trial calls. */
  readonly isTried: () => boolean;
  readonly clock: Clock;
}

/**
 * Sends a small request to a store at regular intervals. Any answer counts, so metrics, alerts and the circuit breaker
 * know the state of a store even while no client needs it.
 */
export class StoreProber {
  readonly #options: ProberOptions;
  #timer: Timer | undefined;
  #isAsking = false;
  #isStopped = false;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const { clock, everyMs } = this.#options;
    this.#timer = clock.after(everyMs, () => {
      this.#schedule();
      this.#ask();
    });
  }

  #ask(): void {
    // one that hangs is enough
    if (this.#isAsking || this.#isStopped) return;
    this.#isAsking = true;
    const { store, isTried } = this.#options;
    const receiver: StoreReceiver = {
      answered: () => undefined,
      arrived: () => undefined,
      ended: () => {
        this.#isAsking = false;
        if (isTried()) queueMicrotask(() => this.#ask());
      },
      failed: () => {
        this.#isAsking = false;
      },
    };
    store.send(this.#request(), receiver);
  }

  #request(): StoreRequest {
    const { bucket } = this.#options;
    const isOfBucket = bucket !== undefined;
    return {
      method: isOfBucket ? 'HEAD' : 'GET',
      operation: isOfBucket ? 'HeadBucket' : 'ListBuckets',
      ...{ bucket, key: undefined, query: '', fields: [] },
    };
  }
}
