import type { Clock, Timer } from '../../base/clock.ts';

/** What tells that there may be room again. */
export interface SlotSignals {
  readonly clock: Clock;
  /**
   * Calls back once when a slot of the arena may have become free, unless what it returns is called before; those for
   * whom a reader waits come first.
   */
  readonly whenSlotFreed: (callback: () => void, isUrgent: boolean) => () => void;
}

const SLOT_POLL_MS = 50;

/** So long a transfer keeps its connection while there is no room for what it brings; then it is asked for again. */
const CONNECTION_LIMIT_MS = 1_000;

/** So long the first byte of an answer waits for room. */
const FIRST_BYTE_LIMIT_MS = 1_500;

/** One extent's wait for a slot of the arena: never more than one callback and one timer, however often it is begun. */
export class SlotWait {
  readonly #signs: SlotSignals;
  readonly #retry: () => void;
  #forget: (() => void) | undefined;
  #poll: Timer | undefined;
  #sinceMs: number | undefined;

  /** @param retry called once for each beginning. */
  constructor(signs: SlotSignals, retry: () => void) {
    this.#signs = signs;
    this.#retry = retry;
  }

  get isWaiting(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** Whether a transfer that waits may still keep its connection. */
  get keepsConnection(): boolean {
    return this.#waitedMs < CONNECTION_LIMIT_MS;
  }

  /** Whether it has been too long for the first byte of an answer. */
  get exceedsFirstByteLimit(): boolean {
    return this.#waitedMs >= FIRST_BYTE_LIMIT_MS;
  }

  get #waitedMs(): number {
    return this.#sinceMs === undefined ? 0 : this.#signs.clock.monotonicMs() - this.#sinceMs;
  }

  /** There is no room, still or again. */
  begin(isAwaited: boolean): void {
    const { clock, whenSlotFreed } = this.#signs;
    this.#stop();
    this.#sinceMs ??= clock.monotonicMs();
    const retry = () => {
      this.#stop();
      this.#retry();
    };
    this.#forget = whenSlotFreed(retry, isAwaited);
    // A reader in another thread lets go of a slot without a word.
    this.#poll = clock.after(SLOT_POLL_MS, retry);
  }

  /** There is room, or none is needed any more. */
  end(): void {
    this.#sinceMs = undefined;
    this.#stop();
  }

  #stop(): void {
    this.#forget?.();
    this.#poll?.cancel();
    this.#forget = undefined;
    this.#poll = undefined;
  }
}
