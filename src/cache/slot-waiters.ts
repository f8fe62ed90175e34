/** How a fill waits for a slot: it is called before others if a reader waits for it, and that may have become long. */
export type SlotWaitRank = 'ahead' | 'urgent' | 'pressing';

/** Fills that wait for a slot, in two ranks. */
export class SlotWaiters {
  readonly #first = new Set<() => void>();
  readonly #others = new Set<() => void>();
  /** Those of the first rank that have waited for long. */
  readonly #pressing = new Set<() => void>();

  get count(): number {
    return this.#first.size + this.#others.size;
  }

  get urgent(): number {
    return this.#first.size;
  }

  get pressing(): number {
    return this.#pressing.size;
  }

  /** Returns a function that removes `callback`; false if it was called already. */
  add(callback: () => void, rank: SlotWaitRank): () => boolean {
    const waiting = rank === 'ahead' ? this.#others : this.#first;
    waiting.add(callback);
    if (rank === 'pressing') this.#pressing.add(callback);
    return () => {
      this.#pressing.delete(callback);
      return waiting.delete(callback);
    };
  }

  /** Removes all; the urgent ones come first. */
  takeAll(): (() => void)[] {
    const all = [...this.#first, ...this.#others];
    this.#first.clear();
    this.#others.clear();
    this.#pressing.clear();
    return all;
  }
}
