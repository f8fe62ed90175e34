/** Share of the memory that prefetched blocks may occupy and still be spared until their first read. */
const UNREAD_SHARE = 0.5;

/**
 * How much of a worker's memory is occupied by blocks that nobody has read yet, in all size classes together. Up to
 * half of the memory they are spared: a reader that comes to them would otherwise fetch them a second time.
 */
export class UnreadShare {
  readonly #limitBytes: number;
  #bytes = 0;

  /** @param memoryBytes all slots together */
  constructor(memoryBytes: number) {
    this.#limitBytes = memoryBytes * UNREAD_SHARE;
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#limitBytes;
  }

  /** @param bytes negative when blocks were read or evicted */
  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
