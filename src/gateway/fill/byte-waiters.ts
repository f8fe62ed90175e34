interface Waiter {
  readonly position: number;
  readonly isFirst: boolean;
  readonly reader: object | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The readers that wait for bytes of one transfer. */
export class ByteWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Whether any reader waits. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /**
   * Resolves when the byte at `position` has arrived or the transfer has ended successfully; rejects when it has
   * failed.
   *
   * @param isFirst whether it is the first byte of an answer, see `refuseFirst`
   * @param reader who waits, see `left`
   */
  wait(position: number, isFirst: boolean, reader: object | undefined): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#waiters.add({ position, isFirst, reader, resolve, reject }),
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

  /** Rejects readers that wait for the first byte of an answer; those in the middle of an answer keep waiting. */
  refuseFirst(error: Error): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isFirst) continue;
      this.#waiters.delete(waiter);
      waiter.reject(error);
    }
  }

  /** All bytes before `end` have arrived. */
  arrivedUntil(end: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.position >= end) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** The transfer has ended. */
  settle(outcome: 'done' | Error): void {
    for (const waiter of this.#waiters) outcome === 'done' ? waiter.resolve() : waiter.reject(outcome);
    this.#waiters.clear();
  }
}
