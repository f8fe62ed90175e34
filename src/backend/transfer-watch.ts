import type { Clock, Timer } from '../base/clock.ts';

/** How slow an answer may be. */
export interface TransferLimits {
  /** From the request to the answer's head, whatever informational heads come before it; undefined: as long as it takes. */
  readonly headMs: number | undefined;
  /** Bytes of the body in a second, measured over `windowMs`; 0: any rate will do. */
  readonly minRateBytes: number;
  readonly windowMs: number;
}

/** Notices when an answer comes too slowly. Time in which it is not wanted does not count. */
export class TransferWatch {
  readonly #limits: TransferLimits;
  readonly #clock: Clock;
  readonly #tooSlow: () => void;
  #timer: Timer | undefined;
  #hasHead = false;
  #windowBytes = 0;

  constructor(limits: TransferLimits, clock: Clock, tooSlow: () => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tooSlow = tooSlow;
    if (limits.headMs !== undefined) this.#timer = clock.after(limits.headMs, tooSlow);
  }

  answered(): void {
    this.#hasHead = true;
    this.wanted();
  }

  arrived(lengthBytes: number): void {
    this.#windowBytes += lengthBytes;
  }

  /** From now on bytes are wanted. */
  wanted(): void {
    if (!this.#hasHead) return;
    this.end();
    const { minRateBytes, windowMs } = this.#limits;
    if (minRateBytes === 0) return;
    this.#windowBytes = 0;
    this.#timer = this.#clock.after(windowMs, () => {
      if (this.#windowBytes * 1000 < minRateBytes * windowMs) this.#tooSlow();
      else this.wanted();
    });
  }

  /** For now no bytes are wanted. */
  unwanted(): void {
    if (this.#hasHead) this.end();
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
