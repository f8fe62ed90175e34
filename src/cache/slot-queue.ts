/** Linked-list pointers shared by all queues of one worker: a slot is in at most one queue at a time. */
export class SlotLinks {
  readonly next: Int32Array;
  readonly previous: Int32Array;

  /** @param slots number of slots, numbered from zero */
  constructor(slots: number) {
    this.next = new Int32Array(slots).fill(NONE);
    this.previous = new Int32Array(slots).fill(NONE);
  }
}

const NONE = -1;

/** A FIFO queue of slot numbers with removal from the middle; allocates nothing per slot. */
export class SlotQueue {
  readonly #links: SlotLinks;
  #first = NONE;
  #last = NONE;
  #length = 0;

  constructor(links: SlotLinks) {
    this.#links = links;
  }

  get length(): number {
    return this.#length;
  }

  /** The slot at the head of the queue. */
  get first(): number | undefined {
    return this.#first === NONE ? undefined : this.#first;
  }

  push(slot: number): void {
    this.#links.previous[slot] = this.#last;
    this.#links.next[slot] = NONE;
    if (this.#last === NONE) this.#first = slot;
    else this.#links.next[this.#last] = slot;
    this.#last = slot;
    this.#length++;
  }

  /** Puts `slot` at the head of the queue. */
  unshift(slot: number): void {
    this.#links.previous[slot] = NONE;
    this.#links.next[slot] = this.#first;
    if (this.#first === NONE) this.#last = slot;
    else this.#links.previous[this.#first] = slot;
    this.#first = slot;
    this.#length++;
  }

  remove(slot: number): void {
    const { next, previous } = this.#links;
    const after = next[slot] ?? NONE;
    const before = previous[slot] ?? NONE;
    if (before === NONE) this.#first = after;
    else next[before] = after;
    if (after === NONE) this.#last = before;
    else previous[after] = before;
    this.#length--;
  }

  shift(): number | undefined {
    const slot = this.first;
    if (slot !== undefined) this.remove(slot);
    return slot;
  }
}
