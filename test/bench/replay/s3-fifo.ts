import type { Contender } from './contender.ts';
import { SizedQueue } from './sized-queue.ts';

const SMALL_SHARE = 0.1;
const MOST_READS = 3;

/**
 * S3-FIFO (Yang et al., SOSP 2023), queues measured in bytes: a tenth for what is new; what was read at least twice there
 * goes on to the main queue, all else is remembered in a ghost queue of as many bytes as the main queue, and goes to the
 * main queue when it comes back. In the main queue each read is worth another round, up to three.
 */
export class S3Fifo implements Contender {
  readonly #small = new SizedQueue();
  readonly #main = new SizedQueue();
  readonly #ghosts = new SizedQueue();
  readonly #reads = new Map<number, number>();
  readonly #capacityBytes: number;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  request(object: number, sizeBytes: number): boolean {
    const reads = this.#reads.get(object);
    if (reads !== undefined) {
      this.#reads.set(object, Math.min(reads + 1, MOST_READS));
      return true;
    }
    if (sizeBytes > this.#capacityBytes) return false;
    const isKnown = this.#ghosts.has(object);
    this.#ghosts.delete(object);
    while (this.#small.bytes + this.#main.bytes + sizeBytes > this.#capacityBytes) this.#evict();
    (isKnown ? this.#main : this.#small).add(object, sizeBytes);
    this.#reads.set(object, 0);
    return false;
  }

  #evict(): void {
    const isSmallFull = this.#small.bytes > SMALL_SHARE * this.#capacityBytes;
    if (this.#small.length > 0 && (isSmallFull || this.#main.length === 0)) this.#evictSmall();
    else this.#evictMain();
  }

  /** Looks at one object of the small queue. */
  #evictSmall(): void {
    const object = this.#small.first ?? 0;
    const sizeBytes = this.#small.delete(object);
    const isReused = (this.#reads.get(object) ?? 0) > 1;
    if (isReused) {
      this.#main.add(object, sizeBytes);
      this.#reads.set(object, 0);
      return;
    }
    this.#reads.delete(object);
    this.#ghosts.add(object, sizeBytes);
    while (this.#ghosts.bytes > (1 - SMALL_SHARE) * this.#capacityBytes)
      this.#ghosts.delete(this.#ghosts.first ?? 0);
  }

  /** Looks at one object of the main queue. */
  #evictMain(): void {
    const object = this.#main.first ?? 0;
    const sizeBytes = this.#main.delete(object);
    const reads = this.#reads.get(object) ?? 0;
    if (reads > 0) {
      this.#main.add(object, sizeBytes);
      this.#reads.set(object, reads - 1);
    } else this.#reads.delete(object);
  }
}
