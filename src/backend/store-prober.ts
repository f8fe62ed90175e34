import type { Clock, Timer } from '../base/clock.ts';
import { type AskedPlace, healthRequest } from './health-request.ts';
import type { Store, StoreReceiver } from './store.ts';

interface ProberOptions {
  readonly store: Pick<Store, 'send'>;
  readonly asked: AskedPlace;
  readonly everyMs: number;
  readonly clock: Clock;
}

/**
 * Asks a store now and then whether it answers: what it answers does not matter. So the metrics and alerts of a store know
 * of its state also while no client needs it.
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
    const { store, asked } = this.#options;
    const over = () => {
      this.#isAsking = false;
    };
    const receiver: StoreReceiver = {
      answered: () => undefined,
      arrived: () => undefined,
      ended: over,
      failed: over,
    };
    store.send(healthRequest(asked), receiver);
  }
}
