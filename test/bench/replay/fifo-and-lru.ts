import type { Contender } from './contender.ts';
import { SizedQueue } from './sized-queue.ts';

/** Evicts what was fetched first. */
export class Fifo implements Contender {
  protected readonly held = new SizedQueue();
  readonly #capacityBytes: number;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  request(object: number, sizeBytes: number): boolean {
    if (this.held.has(object)) return true;
    if (sizeBytes > this.#capacityBytes) return false;
    while (this.held.bytes + sizeBytes > this.#capacityBytes) this.held.delete(this.held.first ?? 0);
    this.held.add(object, sizeBytes);
    return false;
  }
}

/** Evicts what was not asked for for longest. */
export class Lru extends Fifo {
  override request(object: number, sizeBytes: number): boolean {
    const isHit = super.request(object, sizeBytes);
    if (isHit) this.held.add(object, sizeBytes);
    return isHit;
  }
}
