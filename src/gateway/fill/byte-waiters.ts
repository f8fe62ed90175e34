interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Who waits for which byte of a transfer. */
export class ByteWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves when the byte at `position` is there or the transfer has ended well; rejects when it has failed. */
  wait(position: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.add({ position, resolve, reject }));
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
