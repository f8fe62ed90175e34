/** A reader that waits for a byte. */
export interface WaitingReader {
  /** The byte has arrived; it may be evicted as soon as this returns. */
  arrived(): void;
}

/** See `ByteWaiters.awaitedBy`. */
export type AwaitedBy = 'none' | 'begun' | 'new';

interface Waiter {
  readonly position: number;
  readonly refusedAtMs: number;
  readonly reader: WaitingReader | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The readers that wait for bytes of one transfer. */
export class ByteWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Whether any reader waits. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /** Who waits: none, readers in the middle of their answers alone, or also one whose answer has not begun. */
  get awaitedBy(): AwaitedBy {
    if (!this.isAwaited) return 'none';
    for (const { refusedAtMs } of this.#waiters) if (refusedAtMs < Infinity) return 'new';
    return 'begun';
  }

  /**
   * Resolves when the byte at `position` has arrived or the transfer has ended successfully; rejects when it has
   * failed.
   *
   * @param refusedAtMs see `refuse`; infinite in the middle of an answer
   * @param reader who waits, see `left`
   */
  wait(position: number, refusedAtMs: number, reader: WaitingReader | undefined): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#waiters.add({ position, refusedAtMs, reader, resolve, reject }),
    );
  }

  /** `reader` no longer waits. */
  left(reader: object): void {
    for (const waiter of this.#waiters) {
      if (waiter.reader !== reader) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** The transfer has waited for slots for `slotWaitMs` in all: rejects readers that must not wait for longer. */
  refuse(slotWaitMs: number, error: Error): void {
    for (const waiter of this.#waiters) {
      if (slotWaitMs < waiter.refusedAtMs) continue;
      this.#waiters.delete(waiter);
      waiter.reject(error);
    }
  }

  /** All bytes before `end` have arrived. */
  arrivedUntil(end: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.position >= end) continue;
      this.#waiters.delete(waiter);
      try {
        waiter.reader?.arrived();
        waiter.resolve();
      } catch (error) {
        waiter.reject(error);
      }
    }
  }

  /** The transfer has ended. */
  settle(outcome: 'done' | Error): void {
    for (const waiter of this.#waiters) outcome === 'done' ? waiter.resolve() : waiter.reject(outcome);
    this.#waiters.clear();
  }
}
