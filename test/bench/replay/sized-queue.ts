/** Objects in the order in which they were added, and the bytes of all. */
export class SizedQueue {
  readonly #sizesBytes = new Map<number, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#sizesBytes.size;
  }

  /** The object that was added first of those that are left. */
  get first(): number | undefined {
    return this.#sizesBytes.keys().next().value;
  }

  has(object: number): boolean {
    return this.#sizesBytes.has(object);
  }

  /** Adds `object` behind all others. */
  add(object: number, sizeBytes: number): void {
    this.delete(object);
    this.#sizesBytes.set(object, sizeBytes);
    this.#bytes += sizeBytes;
  }

  /** Removes `object`; its size, zero when it was not there. */
  delete(object: number): number {
    const sizeBytes = this.#sizesBytes.get(object) ?? 0;
    this.#sizesBytes.delete(object);
    this.#bytes -= sizeBytes;
    return sizeBytes;
  }
}
