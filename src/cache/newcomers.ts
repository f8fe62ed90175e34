/**
 * Each so many-th stays, in place of what was used longest ago (bimodal insertion: Qureshi et al., "Adaptive Insertion Policies for
 * High Performance Caching"): otherwise what was used a lot once would keep its place for ever where each object comes again after
 * many others only.
 */
const STAYING = 32;

/** The names of the entries that came last, in a ring. */
export class Newcomers {
  readonly #names: string[];
  #next = 0;
  #taken = 0;

  constructor(places: number) {
    this.#names = Array(places).fill('');
  }

  /** Takes the place of the oldest one. */
  add(name: string): void {
    this.#names[this.#next] = name;
    this.#next = (this.#next + 1) % this.#names.length;
  }

  /** The one that the next will take the place of; once, and empty where there is none, or it stays. */
  takeOldest(): string {
    const name = this.#names[this.#next] ?? '';
    this.#names[this.#next] = '';
    if (name !== '') this.#taken++;
    return this.#taken % STAYING === 0 ? '' : name;
  }
}
