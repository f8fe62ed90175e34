/**
 * How the pages of a worker are divided into runs of neighbouring granules, each a slot or a hole. A run has a number, which
 * it keeps when it is moved. The tables are as long as the worst case needs; the system gives memory only for what is used of
 * them, since the lowest numbers are used again first.
 */
export class RunTable {
  readonly pages: number;
  readonly granulesPerPage: number;
  /** Links for `RunQueue`: a run is in at most one queue at a time, and one that was removed in none. */
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** For `AgedRuns`: when a run came. */
  readonly since: Uint32Array;
  /** By number of the run: its first granule, and how many there are. */
  readonly #start: Int32Array;
  readonly #length: Int32Array;
  /** By granule: one more than the number of the run that begins or ends there; 0 inside of runs. */
  readonly #edges: Int32Array;
  /** One more than the run whose number was given up last; `next` leads on to the others. 0: there is none. */
  #unused = 0;
  #numbers = 0;

  constructor(pages: number, granulesPerPage: number) {
    this.pages = pages;
    this.granulesPerPage = granulesPerPage;
    const granules = pages * granulesPerPage;
    this.next = new Int32Array(granules);
    this.previous = new Int32Array(granules);
    this.since = new Uint32Array(granules);
    this.#start = new Int32Array(granules);
    this.#length = new Int32Array(granules);
    this.#edges = new Int32Array(granules);
  }

  /** Makes a run of `length` granules that belong to none. */
  create(start: number, length: number): number {
    const run = this.#takeUnused() ?? this.#numbers++;
    this.#put(run, start, length);
    return run;
  }

  /** It is in no queue; its granules belong to no run from now on, and its number may be used again. */
  remove(run: number): void {
    this.#lift(run);
    this.next[run] = this.#unused;
    this.#unused = run + 1;
  }

  resize(run: number, start: number, length: number): void {
    this.#lift(run);
    this.#put(run, start, length);
  }

  /** Two runs of the same length take each other's place. */
  exchange(one: number, other: number): void {
    const [start, length] = [this.startOf(one), this.lengthOf(one)];
    this.#put(one, this.startOf(other), length);
    this.#put(other, start, length);
  }

  startOf(run: number): number {
    return this.#start[run] ?? 0;
  }

  lengthOf(run: number): number {
    return this.#length[run] ?? 0;
  }

  endOf(run: number): number {
    return this.startOf(run) + this.lengthOf(run);
  }

  /** The run that begins at `granule`. */
  beginningAt(granule: number): number | undefined {
    const run = (this.#edges[granule] ?? 0) - 1;
    return run >= 0 && this.#start[run] === granule ? run : undefined;
  }

  /** The run of the same page that ends where one begins at `granule`. */
  before(granule: number): number | undefined {
    if (granule % this.granulesPerPage === 0) return undefined;
    const run = (this.#edges[granule - 1] ?? 0) - 1;
    return run >= 0 ? run : undefined;
  }

  /** The run of the same page that begins where one ends in front of `granule`. */
  after(granule: number): number | undefined {
    return granule % this.granulesPerPage === 0 ? undefined : this.beginningAt(granule);
  }

  /** The runs of the page whose first granule is `first`; none of them may change meanwhile. */
  *inPage(first: number): IterableIterator<number> {
    for (let run = this.beginningAt(first); run !== undefined; run = this.after(this.endOf(run))) yield run;
  }

  #takeUnused(): number | undefined {
    if (this.#unused === 0) return undefined;
    const run = this.#unused - 1;
    this.#unused = this.next[run] ?? 0;
    return run;
  }

  #put(run: number, start: number, length: number): void {
    this.#start[run] = start;
    this.#length[run] = length;
    this.#edges[start] = run + 1;
    this.#edges[start + length - 1] = run + 1;
  }

  #lift(run: number): void {
    this.#edges[this.startOf(run)] = 0;
    this.#edges[this.endOf(run) - 1] = 0;
  }
}
