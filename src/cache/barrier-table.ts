/** What is purged is removed by a hard barrier; a soft one makes it stale. */
export type BarrierKind = 'hard' | 'soft';

/** Three words for each slot. */
const ROWS = 3;

/**
 * The latest barriers of each slot, in memory that all threads share. What is looked up has a slot by its hash: a barrier
 * concerns whatever has the same one, so the table never grows, and what meets by chance is asked for once more.
 */
export class BarrierTable {
  readonly #hard: Int32Array;
  readonly #soft: Int32Array;
  /** When the latest soft barrier was raised, in seconds since the epoch. */
  readonly #softSinceS: Uint32Array;

  static bytes(slots: number): number {
    return ROWS * slots * Int32Array.BYTES_PER_ELEMENT;
  }

  constructor(memory: SharedArrayBuffer, slots: number) {
    const rowBytes = slots * Int32Array.BYTES_PER_ELEMENT;
    this.#hard = new Int32Array(memory, 0, slots);
    this.#soft = new Int32Array(memory, rowBytes, slots);
    this.#softSinceS = new Uint32Array(memory, 2 * rowBytes, slots);
  }

  raise(slot: number, barrier: number, kind: BarrierKind, nowMs: number): void {
    if (kind === 'soft') Atomics.store(this.#softSinceS, slot, Math.floor(nowMs / 1_000));
    raiseTo(kind === 'soft' ? this.#soft : this.#hard, slot, barrier);
  }

  /**
   * Until when that counts as fresh which was learned after barrier `since`, in milliseconds since the epoch: Infinity where
   * no later one concerns the slot, -Infinity for what is removed.
   */
  limitMs(slot: number, since: number): number {
    if (Atomics.load(this.#hard, slot) > since) return -Infinity;
    return Atomics.load(this.#soft, slot) > since ? 1_000 * Atomics.load(this.#softSinceS, slot) : Infinity;
  }
}

/** Threads raise at the same time: the highest stays. */
export function raiseTo(words: Int32Array, at: number, value: number): void {
  let known = Atomics.load(words, at);
  while (known < value) {
    const found = Atomics.compareExchange(words, at, known, value);
    if (found === known) return;
    known = found;
  }
}
