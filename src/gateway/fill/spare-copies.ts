/** Unused copies of one length that are kept; more are needed only for a moment. */
const SPARE_LIMIT = 64;

/**
 * Makes private copies of bytes, in memory of earlier copies where there is some. V8 collects ArrayBuffers only after
 * tens of MiB of them were allocated: a worker whose readers took one copy after the other grew by 60 MiB of unused ones.
 */
export class SpareCopies {
  readonly #spare: ReadonlyMap<number, Buffer<ArrayBuffer>[]>;

  /** @param lengths usual lengths of copies, in bytes; memory of other lengths is not kept */
  constructor(lengths: readonly number[]) {
    this.#spare = new Map(lengths.map(length => [length, []]));
  }

  copyOf(bytes: Buffer): Buffer<ArrayBuffer> {
    const spare = this.#spare.get(bytes.length)?.pop();
    if (!spare) return copyOf(bytes);
    bytes.copy(spare);
    return spare;
  }

  /**
   * Takes back a copy that nobody uses any more, unless it was transferred to another thread: its memory is kept, or
   * freed at once where enough is kept.
   */
  takeBack(copy: Buffer<ArrayBuffer>): void {
    if (copy.length === 0) return;
    const spare = this.#spare.get(copy.length);
    if (spare && spare.length < SPARE_LIMIT) spare.push(copy);
    else copy.buffer.transfer(0);
  }
}

/**
 * A copy in its own ArrayBuffer. A copy in Node's buffer pool would keep the whole pool alive, and transferring it
 * would transfer the pool.
 */
export function copyOf(bytes: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
