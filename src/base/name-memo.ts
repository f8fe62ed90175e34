/** Limits of a memo: number of names, and length of a name in characters. */
export interface NameMemoLimits {
  readonly names: number;
  readonly nameLength: number;
}

/**
 * Memoises values by untrusted names. Keeps the first names within its limits; others are not stored. Nothing is
 * evicted, so a look-up needs no bookkeeping.
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

  /** Too long names are rejected before they are hashed. */
  get(name: string): Value | undefined {
    return name.length > this.#limits.nameLength ? undefined : this.#values.get(name);
  }

  set(name: string, value: Value): void {
    const { names, nameLength } = this.#limits;
    if (name.length <= nameLength && this.#values.size < names) this.#values.set(name, value);
  }
}
