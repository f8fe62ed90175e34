import type { RunTable } from './run-table.ts';

const NONE = -1;

/** A FIFO queue of runs with removal from the middle; allocates nothing per run. */
export class RunQueue {
  readonly #runs: RunTable;
  #first = NONE;
  #last = NONE;
  #length = 0;
  #granules = 0;

  constructor(runs: RunTable) {
    this.#runs = runs;
  }

  get length(): number {
    return this.#length;
  }

  /** Those of all its runs. */
  get granules(): number {
    return this.#granules;
  }

  /** The run at the head of the queue. */
  get first(): number | undefined {
    return this.#first === NONE ? undefined : this.#first;
  }

  push(run: number): void {
    const { next, previous } = this.#runs;
    previous[run] = this.#last;
    next[run] = NONE;
    if (this.#last === NONE) this.#first = run;
    else next[this.#last] = run;
    this.#last = run;
    this.#count(run, 1);
  }

  /** Puts `run` at the head of the queue. */
  unshift(run: number): void {
    const { next, previous } = this.#runs;
    previous[run] = NONE;
    next[run] = this.#first;
    if (this.#first === NONE) this.#last = run;
    else previous[this.#first] = run;
    this.#first = run;
    this.#count(run, 1);
  }

  /** Must be called before the length of `run` changes. */
  remove(run: number): void {
    const { next, previous } = this.#runs;
    const after = next[run] ?? NONE;
    const before = previous[run] ?? NONE;
    if (before === NONE) this.#first = after;
    else next[before] = after;
    if (after === NONE) this.#last = before;
    else previous[after] = before;
    this.#count(run, -1);
  }

  #count(run: number, sign: 1 | -1): void {
    this.#length += sign;
    this.#granules += sign * this.#runs.lengthOf(run);
  }
}
