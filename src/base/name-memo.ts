/** How much a memo keeps: so many names, none of them longer than so many characters. */
export interface NameMemoLimits {
  readonly names: number;
  readonly nameLength: number;
}

/**
 * What names of others' choosing come to, for as many of the first as its limits allow. What is beyond them is not kept,
 * and nothing is ever given up, so that a look-up costs no bookkeeping.
 */
export class NameMemo<Value> {
  readonly #values = new Map<string, Value>();
  readonly #limits: NameMemoLimits;

  constructor(limits: NameMemoLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Names that are too long are not even hashed. */
  get(name: string): Value | undefined {
    return name.length > this.#limits.nameLength ? undefined : this.#values.get(name);
  }

  set(name: string, value: Value): void {
    const { names, nameLength } = this.#limits;
    if (name.length <= nameLength && this.#values.size < names) this.#values.set(name, value);
  }
}
