import type { RunTable } from './run-table.ts';

/** The runs of a page that are being filled. */
interface FillingPage {
  readonly runs: Set<number>;
  /** Granules that lie side by side between them, at most; undefined until they are asked for again. */
  longest: number | undefined;
}

/**
 * What lies between the slots that are being filled, which are neither evicted nor moved: nothing that is evicted makes room in a
 * page for what is longer than that.
 */
export class FillGaps {
  readonly #table: RunTable;
  /** Pages in which anything is being filled. */
  readonly #pages = new Map<number, FillingPage>();

  constructor(table: RunTable) {
    this.#table = table;
  }

  /** Whether anything is being filled. */
  get isAny(): boolean {
    return this.#pages.size > 0;
  }

  begin(run: number): void {
    const number = this.#pageOf(run);
    const page = this.#pages.get(number) ?? { runs: new Set(), longest: undefined };
    this.#pages.set(number, page);
    page.runs.add(run);
    page.longest = undefined;
  }

  /** Has no effect on a run that is not being filled. */
  end(run: number): void {
    const page = this.#pages.get(this.#pageOf(run));
    if (!page?.runs.delete(run)) return;
    page.longest = undefined;
    if (page.runs.size === 0) this.#pages.delete(this.#pageOf(run));
  }

  /** Whether `length` granules side by side can become free in `page`. */
  hasRoom(page: number, length: number): boolean {
    const filling = this.#pages.get(page);
    if (!filling) return true;
    filling.longest ??= this.#longestBetween(page, filling.runs);
    return filling.longest >= length;
  }

  /** The same of any page. Looks at no more pages than are being filled in, and one. */
  hasRoomAnywhere(length: number): boolean {
    if (this.#pages.size < this.#table.pages) return true;
    for (const page of this.#pages.keys()) if (this.hasRoom(page, length)) return true;
    return false;
  }

  #longestBetween(page: number, runs: ReadonlySet<number>): number {
    const first = page * this.#table.granulesPerPage;
    let [from, longest] = [first, 0];
    const starts = Array.from(runs, run => this.#table.startOf(run)).sort((one, other) => one - other);
    for (const start of [...starts, first + this.#table.granulesPerPage]) {
      longest = Math.max(longest, start - from);
      const run = this.#table.beginningAt(start);
      if (run !== undefined) from = this.#table.endOf(run);
    }
    return longest;
  }

  #pageOf(run: number): number {
    return Math.floor(this.#table.startOf(run) / this.#table.granulesPerPage);
  }
}
