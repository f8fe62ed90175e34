import type { ObjectKey } from './object-key.ts';
import { BUCKET_EPOCH_SLOTS, EPOCH_SLOTS, type SharedMemory } from './shared-memory.ts';

/**
 * A counter per key slot and one per bucket slot, shared by all threads, that only increase. Anything that invalidates a
 * key (a purge, a write, an event of the store) raises one of them. Records and fills started under an older epoch are
 * neither served nor stored.
 */
export class Epochs {
  readonly #keys: Int32Array;
  readonly #buckets: Int32Array;

  constructor(memory: SharedMemory) {
    this.#keys = new Int32Array(memory.epochs);
    this.#buckets = new Int32Array(memory.bucketEpochs);
  }

  /** The epoch of a key: the sum of both counters, which changes when either is raised. */
  current({ hash, bucketHash }: Pick<ObjectKey, 'hash' | 'bucketHash'>): number {
    const ofBucket = Atomics.load(this.#buckets, bucketHash % BUCKET_EPOCH_SLOTS);
    return Atomics.load(this.#keys, hash % EPOCH_SLOTS) + ofBucket;
  }

  /**
   * Invalidates everything learned about the key so far.
   *
   * @param keyHash `ObjectKey.hash`
   */
  raise(keyHash: number): void {
    Atomics.add(this.#keys, keyHash % EPOCH_SLOTS, 1);
  }

  /**
   * Invalidates everything learned about the keys of a bucket.
   *
   * @param bucketHash see `hashBucket`
   */
  raiseBucket(bucketHash: number): void {
    Atomics.add(this.#buckets, bucketHash % BUCKET_EPOCH_SLOTS, 1);
  }
}
