/** So many bodies of a thread are read into memory of their own at a time; the others go the usual way. */
const BODIES = 32;

/** Pieces that are kept for later bodies. */
const SPARE = 8;

/** Memory for reads of bodies, used again. */
export class ReadMemory {
  readonly #sizeBytes: number;
  readonly #spare: Buffer[] = [];
  #bodies = 0;

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
  }

  /** Takes a place for a body, if there is one. */
  enter(): boolean {
    if (this.#bodies >= BODIES) return false;
    this.#bodies++;
    return true;
  }

  leave(): void {
    this.#bodies--;
  }

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#sizeBytes);
  }

  /** @param piece that nobody uses or will use */
  giveBack(piece: Buffer): void {
    if (this.#spare.length < SPARE) this.#spare.push(piece);
  }
}
