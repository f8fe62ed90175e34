import type { Clock } from '../../base/clock.ts';

/** What tells that there may be room again. */
export interface RoomSigns {
  readonly clock: Clock;
  /** Calls back once when a slot of the arena may have become free, unless what it returns is called before. */
  readonly whenSlotFreed: (callback: () => void) => () => void;
}

const slotPollMs = 50;

/** One extent's wait for a slot of the arena: never more than one callback and one timer, however often it is begun. */
export class RoomWait {
  readonly #signs: RoomSigns;
  readonly #retry: () => void;
  #cancel: (() => void) | undefined;

  /** @param retry called once for each beginning. */
  constructor(signs: RoomSigns, retry: () => void) {
    this.#signs = signs;
    this.#retry = retry;
  }

  begin(): void {
    this.end();
    const retry = () => {
      this.end();
      this.#retry();
    };
    const forget = this.#signs.whenSlotFreed(retry);
    // A reader in another thread lets go of a slot without a word.
    const poll = this.#signs.clock.after(slotPollMs, retry);
    this.#cancel = () => {
      forget();
      poll.cancel();
    };
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
