import type { LaterOwner } from './slot-owner.ts';

/** Of a run that has no owner, and of one that the common owner has. */
const NOBODY = 0;
const COMMON = 1;

/** How many runs one step of a walk looks at. */
const STEP_RUNS = 1_024;

/**
 * The owners of slots, by number of their run. One of them has nearly all slots where many small objects are cached: it is noted
 * as a number outside of the heap, where the collector would look at each.
 */
export class SlotOwners {
  #common: LaterOwner | undefined;
  /** By run: where its owner is among the others. */
  readonly #places: Int32Array;
  readonly #others: (LaterOwner | undefined)[] = [undefined, undefined];
  /** Places of others that are not used. */
  readonly #unused: number[] = [];
  /** No run from here on ever had an owner. */
  #end = 0;
  #commonRuns = 0;

  constructor(runs: number) {
    this.#places = new Int32Array(runs);
  }

  /**
   * `owner` is going to have very many slots, and has none yet.
   *
   * @throws RangeError when there is such an owner, whose slots would become another's
   */
  expectCommon(owner: LaterOwner): void {
    if (this.#common) throw new RangeError('there is a common owner already');
    this.#common = owner;
  }

  /** How many runs the common owner has. */
  get commonRuns(): number {
    return this.#commonRuns;
  }

  has(run: number): boolean {
    return this.#placeOf(run) !== NOBODY;
  }

  get(run: number): LaterOwner | undefined {
    const place = this.#placeOf(run);
    return place === COMMON ? this.#common : this.#others[place];
  }

  set(run: number, owner: LaterOwner): void {
    this.remove(run);
    this.#end = Math.max(this.#end, run + 1);
    if (owner === this.#common) {
      this.#places[run] = COMMON;
      this.#commonRuns++;
    } else {
      const place = this.#unused.pop() ?? this.#newPlace();
      this.#others[place] = owner;
      this.#places[run] = place;
    }
  }

  remove(run: number): void {
    const place = this.#placeOf(run);
    if (place === COMMON) this.#commonRuns--;
    if (place > COMMON) {
      this.#others[place] = undefined;
      this.#unused.push(place);
    }
    this.#places[run] = NOBODY;
  }

  /** How many steps `ofCommon` takes in which it finds nothing, at most. */
  get emptySteps(): number {
    return Math.ceil(this.#end / STEP_RUNS);
  }

  /**
   * The runs of the common owner; those that it gets or gives up meanwhile may be among them. Undefined now and then where it has
   * few, so that no step takes long.
   */
  *ofCommon(): Generator<number | undefined> {
    for (let run = 0; run < this.#end; run++) {
      if (this.#places[run] === COMMON) yield run;
      else if ((run + 1) % STEP_RUNS === 0) yield undefined;
    }
  }

  #placeOf(run: number): number {
    return this.#places[run] ?? NOBODY;
  }

  #newPlace(): number {
    const place = this.#others.length;
    if (place > COMMON + this.#places.length) throw new RangeError('there are more owners than slots');
    return place;
  }
}
