/** What is purged is removed by a hard barrier; a soft one makes it stale. */
export type BarrierKind = 'hard' | 'soft';

/** Where a name is noted: names of one slot that have the same mark cannot be told apart. */
export interface BarrierPlace {
  readonly slot: number;
  /** Above 0. */
  readonly mark: number;
}

export interface NotedBarrier {
  readonly kind: BarrierKind;
  readonly number: number;
  /** In milliseconds since the epoch. */
  readonly raisedMs: number | undefined;
}

/** Two numbers of barriers and two words. */
const SLOT_BYTES = 2 * BigInt64Array.BYTES_PER_ELEMENT + 2 * Int32Array.BYTES_PER_ELEMENT;

/** In place of a mark, for a slot with barriers of several: they concern all that have it. */
const SEVERAL = -1;

/**
 * The latest barriers of each slot, in memory that all threads share. What is looked up has a slot and a mark by its hash: a
 * barrier concerns whatever has the same, so the table never grows, and what meets by chance is asked for once more.
 */
export class BarrierTable {
  readonly #hard: BigInt64Array;
  readonly #soft: BigInt64Array;
  /** When the latest soft barrier was raised, in seconds since the epoch. */
  readonly #softSinceS: Uint32Array;
  /** The mark of all barriers of the slot so far; 0: there were none. */
  readonly #marks: Int32Array;

  static bytes(slots: number): number {
    return slots * SLOT_BYTES;
  }

  constructor(memory: SharedArrayBuffer, slots: number) {
    this.#hard = new BigInt64Array(memory, 0, slots);
    this.#soft = new BigInt64Array(memory, this.#hard.byteLength, slots);
    this.#softSinceS = new Uint32Array(memory, 2 * this.#hard.byteLength, slots);
    this.#marks = new Int32Array(memory, 2 * this.#hard.byteLength + this.#softSinceS.byteLength, slots);
  }

  raise({ slot, mark }: BarrierPlace, barrier: number, kind: BarrierKind, nowMs: number): void {
    // before the barrier is there, which is looked at first
    const known = Atomics.compareExchange(this.#marks, slot, 0, mark);
    if (known !== 0 && known !== mark) Atomics.store(this.#marks, slot, SEVERAL);
    if (kind === 'soft') Atomics.store(this.#softSinceS, slot, Math.floor(nowMs / 1_000));
    raiseTo(kind === 'soft' ? this.#soft : this.#hard, slot, barrier);
  }

  /**
   * Until when that counts as fresh which was learned after barrier `since`, in milliseconds since the epoch: Infinity where
   * no later one concerns the place, -Infinity for what is removed.
   */
  limitMs({ slot, mark }: BarrierPlace, since: number): number {
    const isRemoved = barrierAt(this.#hard, slot) > since;
    if (!isRemoved && barrierAt(this.#soft, slot) <= since) return Infinity;
    const concerned = Atomics.load(this.#marks, slot);
    if (concerned !== mark && concerned !== SEVERAL) return Infinity;
    return isRemoved ? -Infinity : 1_000 * Atomics.load(this.#softSinceS, slot);
  }

  /** The latest barriers that concern the place, by their numbers. Of hard ones nobody knows the time. */
  noted({ slot, mark }: BarrierPlace): NotedBarrier[] {
    const concerned = Atomics.load(this.#marks, slot);
    if (concerned !== mark && concerned !== SEVERAL) return [];
    const noted: NotedBarrier[] = [];
    const [hard, soft] = [barrierAt(this.#hard, slot), barrierAt(this.#soft, slot)];
    const raisedMs = 1_000 * Atomics.load(this.#softSinceS, slot);
    if (hard > 0) noted.push({ kind: 'hard', number: hard, raisedMs: undefined });
    if (soft > 0) noted.push({ kind: 'soft', number: soft, raisedMs });
    return noted;
  }
}

/** Numbers of barriers have 64 bits: clients of web origins may have groups ended, thousands of times a second, and come past 2^31 in days. */
export function barrierAt(barriers: BigInt64Array, at: number): number {
  return Number(Atomics.load(barriers, at));
}

/** Threads raise at the same time: the highest stays. */
export function raiseTo(barriers: BigInt64Array, at: number, barrier: number): void {
  const value = BigInt(barrier);
  let known = Atomics.load(barriers, at);
  while (known < value) {
    const found = Atomics.compareExchange(barriers, at, known, value);
    if (found === known) return;
    known = found;
  }
}
