import { keyedHash } from './keyed-hash.ts';
import { type BucketName, bucketText, type KeySlots } from './object-key.ts';
import { EPOCH_SLOTS, type SharedMemory, UNNAMED_BUCKET_SLOTS } from './shared-memory.ts';

/**
 * Which counters of `Epochs` count for which keys, the same in all threads.
 *
 * A bucket that the configuration names at the start has a counter of its own. Other buckets, whose names clients may
 * choose, and all keys share counters by a hash with a secret of the process: whoever may write can raise counters, but
 * cannot choose whose. A reload changes no slot, so no record becomes valid again by one.
 */
export class EpochSlots {
  readonly #memory: Pick<SharedMemory, 'epochKey' | 'namedBuckets'>;
  readonly #named: ReadonlyMap<string, number>;
  readonly #keySlot = (keyText: string) => keyedHash(this.#memory.epochKey, keyText) % EPOCH_SLOTS;
  readonly #webKeySlot = (keyText: string) => EPOCH_SLOTS + this.#keySlot(keyText);

  constructor(memory: Pick<SharedMemory, 'epochKey' | 'namedBuckets'>) {
    this.#memory = memory;
    this.#named = new Map(memory.namedBuckets.map((name, number) => [bucketText(name), number]));
  }

  /** @param kind web origins have counters of their own for keys: everybody may send them what changes something */
  of(name: BucketName, kind: 'objects' | 'web' = 'objects'): KeySlots {
    const keySlot = kind === 'web' ? this.#webKeySlot : this.#keySlot;
    return { bucketSlot: this.#bucketSlot(bucketText(name)), keySlot };
  }

  #bucketSlot(text: string): number {
    const { epochKey, namedBuckets } = this.#memory;
    return this.#named.get(text) ?? namedBuckets.length + (keyedHash(epochKey, text) % UNNAMED_BUCKET_SLOTS);
  }
}
