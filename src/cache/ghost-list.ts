/**
 * What was evicted lately without having been read twice, by hash. What comes back while it is remembered was
 * wanted more than once after all, and goes straight to the main queue. Two contents of one hash are taken for each other
 * here, which decides no more than what stays longer.
 */
export class GhostList {
  readonly #hashes = new Set<number>();
  #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Remembers as many as the queues it accompanies hold. */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#trim();
  }

  add(hash: number): void {
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    this.#trim();
  }

  /** Whether `hash` was remembered; it no longer is. */
  take(hash: number): boolean {
    return this.#hashes.delete(hash);
  }

  #trim(): void {
    for (const oldest of this.#hashes) {
      if (this.#hashes.size <= this.#capacity) return;
      this.#hashes.delete(oldest);
    }
  }
}
