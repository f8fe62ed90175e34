/** The names of the entries that came last, in a ring. */
export class Newcomers {
  readonly #names: string[];
  #next = 0;

  constructor(places: number) {
    this.#names = Array(places).fill('');
  }

  /** Takes the place of the oldest one. */
  add(name: string): void {
    this.#names[this.#next] = name;
    this.#next = (this.#next + 1) % this.#names.length;
  }

  /** The one that the next will take the place of; once, and empty where there is none. */
  takeOldest(): string {
    const name = this.#names[this.#next] ?? '';
    this.#names[this.#next] = '';
    return name;
  }
}
