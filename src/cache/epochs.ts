import type { ObjectKey } from './object-key.ts';
import type { SharedMemory } from './shared-memory.ts';

/** None that is ever current: what has it is neither kept nor shared. */
export const NO_EPOCH = -1;

/**
 * A counter per key slot and one per bucket slot (see `EpochSlots`), shared by all threads, that only increase. Anything
 * that invalidates a key (a purge, a write, an event of the store, an answer to another worker in place of the owner) raises one of them. Records and fills started under an
 * older epoch are neither served nor stored.
 */
export class Epochs {
  readonly #keys: Int32Array;
  readonly #buckets: Int32Array;

  constructor(memory: SharedMemory) {
    this.#keys = new Int32Array(memory.epochs);
    this.#buckets = new Int32Array(memory.bucketEpochs);
  }

  /** The epoch of a key: the sum of both counters, which changes when either is raised. */
  current({ keySlot, bucketSlot }: Pick<ObjectKey, 'keySlot' | 'bucketSlot'>): number {
    return Atomics.load(this.#keys, keySlot) + Atomics.load(this.#buckets, bucketSlot);
  }

  /** Invalidates everything learned about the keys of a slot so far. */
  raise(keySlot: number): void {
    Atomics.add(this.#keys, keySlot, 1);
  }

  /** The slots of all buckets. */
  everyBucket(): ReadonlySet<number> {
    return new Set(this.#buckets.keys());
  }

  /** Invalidates everything learned about the keys of a bucket. */
  raiseBucket(bucketSlot: number): void {
    Atomics.add(this.#buckets, bucketSlot, 1);
  }

  /** Invalidates everything learned so far. */
  raiseEvery(): void {
    for (const bucketSlot of this.#buckets.keys()) this.raiseBucket(bucketSlot);
  }
}
