import { RunQueue } from './run-queue.ts';
import type { RunTable } from './run-table.ts';

/**
 * The holes of a worker's pages, by length. Holes of a page that come to lie side by side become one.
 *
 * A window can be set aside, to be cleared: what becomes free in it is not given to others meanwhile.
 */
export class HoleTable {
  readonly #runs: RunTable;
  readonly #isHole: Uint8Array;
  /** By length. */
  readonly #bins: readonly RunQueue[];
  /** A bit for each length: whether there are holes of it. */
  readonly #filled: Int32Array;
  /** The window that is set aside. */
  #from = 0;
  #to = 0;
  #granules = 0;

  constructor(runs: RunTable) {
    this.#runs = runs;
    this.#isHole = new Uint8Array(runs.pages * runs.granulesPerPage);
    this.#bins = Array.from({ length: runs.granulesPerPage + 1 }, () => new RunQueue(runs));
    this.#filled = new Int32Array((runs.granulesPerPage >>> 5) + 1);
  }

  /** Granules that all holes have together. */
  get granules(): number {
    return this.#granules;
  }

  isHole(run: number): boolean {
    return this.#isHole[run] === 1;
  }

  /** Takes `length` granules of the smallest hole that has as many. */
  take(length: number): number | undefined {
    const found = this.#leastFilled(length);
    const hole = found === undefined ? undefined : this.#bins[found]?.first;
    return hole === undefined ? undefined : this.#cut(hole, length);
  }

  /** The same of the first hole of `page` that has as many. */
  takeIn(page: number, length: number): number | undefined {
    for (const run of this.#runs.inPage(page * this.#runs.granulesPerPage))
      if (this.isHole(run) && this.#runs.lengthOf(run) >= length) return this.#cut(run, length);
    return undefined;
  }

  /** Makes a hole of `run`. */
  add(run: number): void {
    let hole = run;
    this.#granules += this.#runs.lengthOf(run);
    const before = this.#runs.before(this.#runs.startOf(run));
    if (before !== undefined && this.#joins(before, run)) hole = this.#join(before, run);
    const after = this.#runs.after(this.#runs.endOf(hole));
    if (after !== undefined && this.#joins(after, hole)) hole = this.#join(hole, after);
    this.#isHole[hole] = 1;
    this.#offer(hole);
  }

  /** Sets the granules `[from, to)` aside. Runs must neither begin before them and end in them, nor the other way round. */
  setAside(from: number, to: number): void {
    const holes = [...this.#within(from, to)];
    for (const hole of holes) this.#withdraw(hole);
    this.#from = from;
    this.#to = to;
  }

  /** Gives what was set aside to others again. */
  giveBack(): void {
    const holes = [...this.#within(this.#from, this.#to)];
    this.#from = 0;
    this.#to = 0;
    for (const hole of holes) {
      this.#isHole[hole] = 0;
      this.#granules -= this.#runs.lengthOf(hole);
      this.add(hole);
    }
  }

  *#within(from: number, to: number): IterableIterator<number> {
    for (let at = from; at < to; ) {
      const run = this.#runs.beginningAt(at);
      if (run === undefined) throw new RangeError(`no run begins at granule ${at}`);
      at = this.#runs.endOf(run);
      if (this.isHole(run)) yield run;
    }
  }

  /** The least length, of `least` or more, of which there are holes. */
  #leastFilled(least: number): number | undefined {
    let bits = (this.#filled[least >>> 5] ?? 0) & (-1 << (least & 31));
    for (let word = least >>> 5; ; bits = this.#filled[word] ?? 0) {
      if (bits !== 0) return word * 32 + 31 - Math.clz32(bits & -bits);
      if (++word >= this.#filled.length) return undefined;
    }
  }

  /** Makes a run that is no hole of the first `length` granules of `hole`. */
  #cut(hole: number, length: number): number {
    const [start, left] = [this.#runs.startOf(hole), this.#runs.lengthOf(hole) - length];
    this.#withdraw(hole);
    this.#isHole[hole] = 0;
    this.#granules -= length;
    if (left === 0) return hole;
    this.#runs.resize(hole, start, length);
    const rest = this.#runs.create(start + length, left);
    this.#isHole[rest] = 1;
    this.#offer(rest);
    return hole;
  }

  /** Whether `hole` is one that becomes one with its neighbour `run`. */
  #joins(hole: number, run: number): boolean {
    return this.isHole(hole) && this.#isAside(hole) === this.#isAside(run);
  }

  /** Makes one run of two neighbours. */
  #join(first: number, second: number): number {
    for (const run of [first, second]) {
      if (this.isHole(run)) this.#withdraw(run);
      this.#isHole[run] = 0;
    }
    const length = this.#runs.lengthOf(first) + this.#runs.lengthOf(second);
    this.#runs.remove(second);
    this.#runs.resize(first, this.#runs.startOf(first), length);
    return first;
  }

  #isAside(run: number): boolean {
    const start = this.#runs.startOf(run);
    return start >= this.#from && start < this.#to;
  }

  #offer(hole: number): void {
    if (this.#isAside(hole)) return;
    const length = this.#runs.lengthOf(hole);
    this.#bins[length]?.push(hole);
    this.#mark(length);
  }

  #withdraw(hole: number): void {
    if (this.#isAside(hole)) return;
    const length = this.#runs.lengthOf(hole);
    this.#bins[length]?.remove(hole);
    this.#mark(length);
  }

  #mark(length: number): void {
    const bit = 1 << (length & 31);
    const word = this.#filled[length >>> 5] ?? 0;
    this.#filled[length >>> 5] = this.#bins[length]?.first === undefined ? word & ~bit : word | bit;
  }
}
