import { Random } from '../../fuzz/random.ts';
import type { Contender } from './contender.ts';
import { nextRequests, type Trace } from './trace.ts';

/** Of more objects than this, so many are drawn. */
const LOOKS = 128;

/**
 * Knows the future: evicts the object with the largest product of size and distance to its next request, unless that is
 * the one that has just come. Belady's optimum where all have one size and no more than `LOOKS` are held; close to it
 * otherwise. With sizes the true optimum is not computable in a reasonable time.
 */
export class OfflineOptimum implements Contender {
  readonly #capacityBytes: number;
  readonly #next: Float64Array;
  readonly #sizesBytes: Float64Array;
  readonly #random = new Random(1);
  readonly #held: number[] = [];
  /** Where in `#held` an object is. */
  readonly #placeOf = new Map<number, number>();
  /** The next request for each object that is held. */
  readonly #nextOf: Float64Array;
  #bytes = 0;

  constructor(capacityBytes: number, trace: Trace) {
    this.#capacityBytes = capacityBytes;
    this.#next = nextRequests(trace);
    this.#sizesBytes = trace.sizesBytes;
    this.#nextOf = new Float64Array(trace.sizesBytes.length);
  }

  request(object: number, sizeBytes: number, at: number): boolean {
    this.#nextOf[object] = this.#next[at] ?? Infinity;
    if (this.#placeOf.has(object)) return true;
    if (sizeBytes > this.#capacityBytes || this.#nextOf[object] === Infinity) return false;
    this.#add(object, sizeBytes);
    while (this.#bytes > this.#capacityBytes) this.#remove(this.#worst(object, at));
    return false;
  }

  #worst(arrived: number, at: number): number {
    const isAll = this.#held.length <= LOOKS;
    let worst = arrived;
    for (let look = 0; look < Math.min(LOOKS, this.#held.length); look++) {
      const object = this.#held[isAll ? look : this.#random.int(this.#held.length)] ?? arrived;
      if (this.#costOf(object, at) > this.#costOf(worst, at)) worst = object;
    }
    return worst;
  }

  #costOf(object: number, at: number): number {
    return (this.#sizesBytes[object] ?? 0) * ((this.#nextOf[object] ?? Infinity) - at);
  }

  #add(object: number, sizeBytes: number): void {
    this.#placeOf.set(object, this.#held.push(object) - 1);
    this.#bytes += sizeBytes;
  }

  #remove(object: number): void {
    const place = this.#placeOf.get(object) ?? 0;
    const last = this.#held.pop() ?? object;
    this.#placeOf.delete(object);
    this.#bytes -= this.#sizesBytes[object] ?? 0;
    if (last === object) return;
    this.#held[place] = last;
    this.#placeOf.set(last, place);
  }
}
