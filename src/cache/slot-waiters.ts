/** Fills that wait for a slot, in two ranks. */
export class SlotWaiters {
  readonly #first = new Set<() => void>();
  readonly #others = new Set<() => void>();

  get count(): number {
    return this.#first.size + this.#others.size;
  }

  get urgent(): number {
    return this.#first.size;
  }

  /** Returns a function that removes `callback`; false if it was called already. */
  add(callback: () => void, isUrgent: boolean): () => boolean {
    const waiting = isUrgent ? this.#first : this.#others;
    waiting.add(callback);
    return () => waiting.delete(callback);
  }

  /** Removes all; the urgent ones come first. */
  takeAll(): (() => void)[] {
    const all = [...this.#first, ...this.#others];
    this.#first.clear();
    this.#others.clear();
    return all;
  }
}
