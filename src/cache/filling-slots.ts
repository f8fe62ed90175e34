/**
 * The slots that are being filled. Fills are in groups, whose numbers mean nothing here: those of one store can be slow
 * together, and would keep the whole memory from the others for as long as their blocks take. So a group fills no more
 * than nobody is filling: half of the memory if it is alone, a third beside another one that does the same, and some is
 * left for a further one (dynamic thresholds, Choudhury and Hahne 1998). The first group has all of it until there is
 * a second one.
 */
export class FillingSlots {
  readonly #memoryBytes: number;
  /** By slot: its size while it is being filled, otherwise 0. */
  readonly #slotBytes: Uint32Array;
  readonly #groupOf: Uint32Array;
  /** By group; one whose fills have all ended stays, as it may have more. */
  readonly #bytes = new Map<number, number>();
  #count = 0;
  #allBytes = 0;

  /** @param memoryBytes all slots together */
  constructor(slots: number, memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
    this.#slotBytes = new Uint32Array(slots);
    this.#groupOf = new Uint32Array(slots);
  }

  get count(): number {
    return this.#count;
  }

  has(slot: number): boolean {
    return this.#slotBytes[slot] !== 0;
  }

  /** Whether the share of `group` has room for `sizeBytes` more. */
  hasShare(group: number, sizeBytes: number): boolean {
    const isOnly = this.#bytes.size === 0 || (this.#bytes.size === 1 && this.#bytes.has(group));
    const bytes = (this.#bytes.get(group) ?? 0) + sizeBytes;
    return isOnly || bytes <= this.#memoryBytes - this.#allBytes - sizeBytes;
  }

  begin(slot: number, group: number, sizeBytes: number): void {
    this.#slotBytes[slot] = sizeBytes;
    this.#groupOf[slot] = group;
    this.#count++;
    this.#add(group, sizeBytes);
  }

  /** Has no effect on a slot that is not being filled. */
  end(slot: number): void {
    const sizeBytes = this.#slotBytes[slot] ?? 0;
    if (sizeBytes === 0) return;
    this.#slotBytes[slot] = 0;
    this.#count--;
    this.#add(this.#groupOf[slot] ?? 0, -sizeBytes);
  }

  #add(group: number, sizeBytes: number): void {
    this.#bytes.set(group, (this.#bytes.get(group) ?? 0) + sizeBytes);
    this.#allBytes += sizeBytes;
  }
}
