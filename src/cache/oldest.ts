/** An iterator is given up after so many removals, and as many more as there are members: V8 keeps what has gone since it was moved. */
const REMOVALS_KEPT = 1_024;

/** A map or a set. */
interface Members<Key> {
  readonly size: number;
  keys(): Iterator<Key>;
}

/**
 * Which member of a map or set came first, while they come and go. Each that is removed leaves a gap for a while, and a new iterator
 * would pass over all of them every time; so one is kept that has passed them.
 */
export class Oldest<Key> {
  readonly #members: Members<Key>;
  /** All members that it has passed have gone, but for `#found`. */
  #next: Iterator<Key>;
  #found: Key | undefined;
  /** Since the iterator was moved on. */
  #removals = 0;

  constructor(members: Members<Key>) {
    this.#members = members;
    this.#next = members.keys();
  }

  /** Undefined where there are no members. */
  get key(): Key | undefined {
    if (this.#found !== undefined) return this.#found;
    this.#removals = 0;
    let step = this.#next.next();
    if (step.done) {
      // it has ended for good, whatever came after that
      this.#begin();
      step = this.#next.next();
    }
    this.#found = step.done ? undefined : step.value;
    return this.#found;
  }

  /** Must be called when `key` was removed, also if it is added again. */
  removed(key: Key): void {
    if (key === this.#found) this.#found = undefined;
    this.#removals++;
    if (this.#removals > this.#members.size + REMOVALS_KEPT) this.#begin();
  }

  #begin(): void {
    this.#next = this.#members.keys();
    this.#removals = 0;
  }
}
