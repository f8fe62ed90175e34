/**
 * The hashes of contents evicted recently from the small queue. A content that comes back while its hash is listed was
 * wanted more than once and goes straight to the main queue. Hash collisions only affect how long a content stays.
 */
export class GhostList {
  readonly #hashes = new Set<number>();
  #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Sets the capacity to the length of the queues. */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#trim();
  }

  add(hash: number): void {
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    this.#trim();
  }

  /** Whether `hash` was listed; removes it. */
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
