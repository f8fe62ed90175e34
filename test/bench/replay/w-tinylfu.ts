import type { Contender } from './contender.ts';
import { SizedQueue } from './sized-queue.ts';

const WINDOW_SHARE = 0.01;
const PROTECTED_SHARE = 0.8;
const MOST_COUNT = 15;

/**
 * W-TinyLFU (Einziger et al., 2017): a window of a hundredth, then a segmented LRU, which takes what leaves the window
 * only when it was asked for more often lately than each object that it would replace. Measured in bytes.
 */
export class WTinyLfu implements Contender {
  readonly #window = new SizedQueue();
  readonly #probation = new SizedQueue();
  readonly #protected = new SizedQueue();
  readonly #counts: RecentCounts;
  readonly #windowBytes: number;
  readonly #mainBytes: number;

  /** @param expectedObjects how many objects may fit */
  constructor(capacityBytes: number, expectedObjects: number) {
    this.#windowBytes = capacityBytes * WINDOW_SHARE;
    this.#mainBytes = capacityBytes - this.#windowBytes;
    this.#counts = new RecentCounts(expectedObjects);
  }

  request(object: number, sizeBytes: number): boolean {
    this.#counts.add(object);
    if (this.#window.has(object)) this.#window.add(object, sizeBytes);
    else if (this.#protected.has(object)) this.#protected.add(object, sizeBytes);
    else if (this.#probation.has(object)) this.#protect(object);
    else {
      this.#admit(object, sizeBytes);
      return false;
    }
    return true;
  }

  #admit(object: number, sizeBytes: number): void {
    if (sizeBytes > this.#mainBytes) return;
    this.#window.add(object, sizeBytes);
    while (this.#window.bytes > this.#windowBytes) {
      const candidate = this.#window.first ?? 0;
      this.#compete(candidate, this.#window.delete(candidate));
    }
  }

  /** `candidate` comes in when it wins against all that have to go for it. */
  #compete(candidate: number, sizeBytes: number): void {
    const count = this.#counts.of(candidate);
    while (this.#probation.bytes + this.#protected.bytes + sizeBytes > this.#mainBytes) {
      const queue = this.#probation.length > 0 ? this.#probation : this.#protected;
      const victim = queue.first ?? 0;
      if (count <= this.#counts.of(victim)) return;
      queue.delete(victim);
    }
    this.#probation.add(candidate, sizeBytes);
  }

  #protect(object: number): void {
    this.#protected.add(object, this.#probation.delete(object));
    while (this.#protected.bytes > PROTECTED_SHARE * this.#mainBytes) {
      const oldest = this.#protected.first ?? 0;
      this.#probation.add(oldest, this.#protected.delete(oldest));
    }
  }
}

/** How often objects were asked for lately: counted exactly, and halved each time ten times the objects were counted. */
class RecentCounts {
  readonly #counts = new Map<number, number>();
  readonly #periodLength: number;
  #added = 0;

  constructor(objects: number) {
    this.#periodLength = 10 * Math.max(1, objects);
  }

  of(object: number): number {
    return this.#counts.get(object) ?? 0;
  }

  add(object: number): void {
    this.#counts.set(object, Math.min(this.of(object) + 1, MOST_COUNT));
    if (++this.#added < this.#periodLength) return;
    this.#added = 0;
    for (const [one, count] of this.#counts)
      if (count > 1) this.#counts.set(one, count >> 1);
      else this.#counts.delete(one);
  }
}
