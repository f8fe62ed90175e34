/** The latest rows of numbers, in memory that is allocated once; the oldest row makes room for a new one. */
export class SampleRing {
  readonly #rows: Float64Array;
  readonly #columns: number;
  readonly #capacity: number;
  #added = 0;

  constructor(capacity: number, columns: number) {
    this.#capacity = capacity;
    this.#columns = columns;
    this.#rows = new Float64Array(capacity * columns);
  }

  /** How many rows were ever added; the first row has number 0. */
  get added(): number {
    return this.#added;
  }

  /** The number of the oldest row that is kept. */
  get oldest(): number {
    return Math.max(0, this.#added - this.#capacity);
  }

  /** Adds a row; columns beyond `values` hold 0. */
  add(values: readonly number[]): void {
    const start = (this.#added % this.#capacity) * this.#columns;
    this.#rows.fill(0, start, start + this.#columns);
    this.#rows.set(values, start);
    this.#added++;
  }

  /** A column from row number `from` (at least `oldest`) to the latest. */
  column(index: number, from: number): number[] {
    const values: number[] = [];
    for (let row = from; row < this.#added; row++)
      values.push(this.#rows[(row % this.#capacity) * this.#columns + index] ?? 0);
    return values;
  }
}
