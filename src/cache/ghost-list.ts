/** Contents whose hashes leave the same place: the one that was added first is forgotten for another. */
const PLACES_PER_SET = 8;

/**
 * The hashes of contents that were evicted from the small queue, as long as no more than a certain size was evicted since. A
 * content that comes back while its hash is listed was wanted more than once, and goes straight to the main queue. The table
 * has a fixed size; where too many contents are small, the oldest are forgotten early. Equal hashes of two contents only affect
 * how long they stay.
 */
export class GhostList {
  readonly #hashes: Int32Array;
  /** What had been added in all when the hash was. */
  readonly #addedAt: Float64Array;
  readonly #sets: number;
  readonly #limit: number;
  #added: number;

  /**
   * @param places how many hashes there can be, at most
   * @param limit sizes of the contents that are remembered, in all
   */
  constructor(places: number, limit: number) {
    this.#sets = Math.max(1, Math.floor(places / PLACES_PER_SET));
    this.#hashes = new Int32Array(this.#sets * PLACES_PER_SET);
    this.#addedAt = new Float64Array(this.#sets * PLACES_PER_SET);
    this.#limit = limit;
    // what was never added is out of date
    this.#added = limit + 1;
  }

  add(hash: number, size: number): void {
    let place = this.#placeOf(hash);
    if (place === undefined) {
      place = this.#firstPlace(hash);
      for (let other = place + 1; other % PLACES_PER_SET !== 0; other++)
        if (this.#at(other) < this.#at(place)) place = other;
    }
    this.#hashes[place] = hash;
    this.#addedAt[place] = this.#added;
    this.#added += size;
  }

  /** Whether `hash` was listed; removes it. */
  take(hash: number): boolean {
    const place = this.#placeOf(hash);
    if (place === undefined) return false;
    const isListed = this.#added - this.#at(place) <= this.#limit;
    this.#addedAt[place] = 0;
    return isListed;
  }

  #placeOf(hash: number): number | undefined {
    const first = this.#firstPlace(hash);
    for (let place = first; place < first + PLACES_PER_SET; place++)
      if (this.#hashes[place] === (hash | 0) && this.#at(place) > 0) return place;
    return undefined;
  }

  #firstPlace(hash: number): number {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (((mixed ^ (mixed >>> 13)) >>> 0) % this.#sets) * PLACES_PER_SET;
  }

  #at(place: number): number {
    return this.#addedAt[place] ?? 0;
  }
}
