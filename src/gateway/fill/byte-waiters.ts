interface Waiter {
  readonly position: number;
  readonly isFirst: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Who waits for which byte of a transfer. */
export class ByteWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Whether anybody waits. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /**
   * Resolves when the byte at `position` is there or the transfer has ended well; rejects when it has failed.
   *
   * @param isFirst whether it is the first byte of an answer, see `refuseFirst`.
   */
  wait(position: number, isFirst: boolean): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.add({ position, isFirst, resolve, reject }));
  }

  /** Rejects those that wait for the first byte of an answer; those whose answer has begun go on waiting. */
  refuseFirst(error: Error): void {
    for (const waiter of this.#waiters) {
      if (!waiter.isFirst) continue;
      this.#waiters.delete(waiter);
      waiter.reject(error);
    }
  }

  /** All bytes before `end` are there. */
  arrivedUntil(end: number): void {
    for (const waiter of this.#waiters) {
      if (waiter.position >= end) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Nothing more comes. */
  settle(outcome: 'done' | Error): void {
    for (const waiter of this.#waiters) outcome === 'done' ? waiter.resolve() : waiter.reject(outcome);
    this.#waiters.clear();
  }
}
