import { granulesPerWorker, type SharedMemory } from './shared-memory.ts';

/** A place: a hash, and one more than the number of a slot; 0 where there is none. */
const WORDS_PER_PLACE = 2;

/**
 * Slots by the hash of what is in them, in shared memory of a fixed size with more places than there are slots: a search begins
 * where the hash says, and goes on until a place that is not used. What is removed leaves no mark: those behind it close up. Which
 * of several slots with one hash is meant, has to be told by what they hold.
 */
export class SlotIndex {
  readonly #words: Int32Array;
  readonly #places: number;
  readonly #firstSlot: number;

  /** @param worker whose slots these are */
  constructor({ indexes, layout }: Pick<SharedMemory, 'indexes' | 'layout'>, worker: number) {
    const words = indexes[worker];
    if (!words) throw new RangeError(`no worker ${worker}`);
    this.#words = new Int32Array(words);
    this.#places = this.#words.length / WORDS_PER_PLACE;
    this.#firstSlot = worker * granulesPerWorker(layout);
  }

  /** The first slot of this hash that `isMeant`. For another thread than the owner's a slot is a hint, and one may be missed. */
  find(hash: number, isMeant: (slot: number) => boolean): number | undefined {
    let place = this.#placeFor(hash);
    // what changes under a reader may have no end for it
    for (let left = this.#places; left > 0; left--) {
      const slot = this.#slotAt(place);
      if (slot === undefined) return undefined;
      if (this.#hashAt(place) === hash && isMeant(slot)) return slot;
      place = this.#after(place);
    }
    return undefined;
  }

  add(hash: number, slot: number): void {
    let place = this.#placeFor(hash);
    while (this.#slotAt(place) !== undefined) place = this.#after(place);
    this.#put(place, hash, slot);
  }

  /** What was in `from` is in `to` now. */
  move(hash: number, from: number, to: number): void {
    this.#put(this.#placeOf(hash, from), hash, to);
  }

  remove(hash: number, slot: number): void {
    let gap = this.#placeOf(hash, slot);
    for (let place = this.#after(gap); ; place = this.#after(place)) {
      const next = this.#slotAt(place);
      if (next === undefined) break;
      const nextHash = this.#hashAt(place);
      // it stays where a search for it does not come by the gap
      if (this.#distance(this.#placeFor(nextHash), place) < this.#distance(gap, place)) continue;
      this.#put(gap, nextHash, next);
      gap = place;
    }
    this.#words[gap * WORDS_PER_PLACE + 1] = 0;
  }

  /** @throws RangeError when it is not listed */
  #placeOf(hash: number, slot: number): number {
    for (let place = this.#placeFor(hash); ; place = this.#after(place)) {
      const found = this.#slotAt(place);
      if (found === undefined) throw new RangeError(`slot ${slot} is not listed by ${hash}`);
      if (found === slot && this.#hashAt(place) === hash) return place;
    }
  }

  #put(place: number, hash: number, slot: number): void {
    this.#words[place * WORDS_PER_PLACE] = hash;
    this.#words[place * WORDS_PER_PLACE + 1] = slot - this.#firstSlot + 1;
  }

  #hashAt(place: number): number {
    return (this.#words[place * WORDS_PER_PLACE] ?? 0) >>> 0;
  }

  #slotAt(place: number): number | undefined {
    const listed = this.#words[place * WORDS_PER_PLACE + 1] ?? 0;
    return listed === 0 ? undefined : listed - 1 + this.#firstSlot;
  }

  /** Where a search for `hash` begins. Unsigned, 32 bits. */
  #placeFor(hash: number): number {
    return Math.floor((hash / 2 ** 32) * this.#places);
  }

  #after(place: number): number {
    return place + 1 === this.#places ? 0 : place + 1;
  }

  /** How many steps a search takes from one place to another. */
  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#places;
  }
}
