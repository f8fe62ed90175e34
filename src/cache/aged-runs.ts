import { RunQueue } from './run-queue.ts';
import type { RunTable } from './run-table.ts';

/** A content takes memory beside its bytes, for its record: about as much as this, at the share that records have. */
const RECORD_GRANULES = 4;

/** How old a run is that was put at the head: older than any other. */
const OLDEST = 2 ** 31;

/** What stays: the shortest runs up to so many granules in all, unless they came before `since` (`AgedRuns.now`). */
export interface Kept {
  readonly granules: number;
  readonly since: number;
}

export const NOTHING_KEPT: Kept = { granules: 0, since: 0 };

/**
 * Runs in the order of their age times their size, the greatest first: what a long one leaves is room for many short ones. Of runs
 * of about the same length only the oldest is looked at (pyramidal selection, Aggarwal, Wolf and Yu 1999).
 */
export class AgedRuns {
  readonly #runs: RunTable;
  /** By the logarithm of their length. */
  readonly #byLength: readonly RunQueue[];
  #now = 0;
  #length = 0;
  #granules = 0;

  constructor(runs: RunTable) {
    this.#runs = runs;
    this.#byLength = Array.from({ length: 32 - Math.clz32(runs.granulesPerPage) }, () => new RunQueue(runs));
  }

  get length(): number {
    return this.#length;
  }

  /** Those of all its runs. */
  get granules(): number {
    return this.#granules;
  }

  /** Granules of all runs that ever came: the clock for their age. */
  get now(): number {
    return this.#now;
  }

  /** The next to go of those that are not kept. */
  first(kept = NOTHING_KEPT): number | undefined {
    let found: number | undefined;
    let most = -1;
    let granules = 0;
    for (const queue of this.#byLength) {
      const { first } = queue;
      granules += queue.granules;
      if (first === undefined || (granules <= kept.granules && this.#cameSince(first, kept.since))) continue;
      const weight = this.#ageOf(first) * (this.#runs.lengthOf(first) + RECORD_GRANULES);
      if (weight <= most) continue;
      most = weight;
      found = first;
    }
    return found;
  }

  isKept(run: number, kept: Kept): boolean {
    const last = this.#indexOf(run);
    let granules = 0;
    for (let index = 0; index <= last; index++) granules += this.#byLength[index]?.granules ?? 0;
    return granules <= kept.granules && this.#cameSince(run, kept.since);
  }

  push(run: number): void {
    this.#runs.since[run] = this.#now;
    this.#now += this.#runs.lengthOf(run);
    this.#queueOf(run)?.push(run);
    this.#count(run, 1);
  }

  /** Puts `run` at the head. */
  unshift(run: number): void {
    this.#runs.since[run] = this.#now - OLDEST;
    this.#queueOf(run)?.unshift(run);
    this.#count(run, 1);
  }

  /** Must be called before the length of `run` changes. */
  remove(run: number): void {
    this.#queueOf(run)?.remove(run);
    this.#count(run, -1);
  }

  #cameSince(run: number, since: number): boolean {
    return this.#ageOf(run) <= this.#now - since;
  }

  /** The clock is kept in 32 bits. */
  #ageOf(run: number): number {
    return (this.#now - (this.#runs.since[run] ?? 0)) >>> 0;
  }

  #queueOf(run: number): RunQueue | undefined {
    return this.#byLength[this.#indexOf(run)];
  }

  #indexOf(run: number): number {
    return 31 - Math.clz32(this.#runs.lengthOf(run));
  }

  #count(run: number, sign: 1 | -1): void {
    this.#length += sign;
    this.#granules += sign * this.#runs.lengthOf(run);
  }
}
