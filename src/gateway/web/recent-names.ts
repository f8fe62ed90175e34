/** The names that were added last, as many as there is room for. */
export class RecentNames {
  readonly #limit: number;
  readonly #names = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size <= this.#limit) return;
    for (const oldest of this.#names) {
      this.#names.delete(oldest);
      return;
    }
  }

  delete(name: string): void {
    this.#names.delete(name);
  }
}
