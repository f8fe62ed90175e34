import { keyedHash } from './keyed-hash.ts';
import { type BucketName, bucketText, type KeySlots, type WebSlots } from './object-key.ts';
import { EPOCH_SLOTS, type SharedMemory, UNNAMED_BUCKET_SLOTS } from './shared-memory.ts';
import { TAG_SLOTS } from './tag-slots.ts';
import { partOf } from './web-parts.ts';

/** What of the memory decides. */
type SlotMemory = Pick<SharedMemory, 'epochKey' | 'namedBuckets' | 'webParts'>;

/**
 * Which counters of `Epochs` count for which keys, the same in all threads.
 *
 * A bucket that the configuration names at the start has a counter of its own. Other buckets, whose names clients may
 * choose, and all keys share counters by a hash with a secret of the process: whoever may write can raise counters, but
 * cannot choose whose. Web origins have a part of the counters each, see `WebParts`. A reload changes no slot, so no record
 * becomes valid again by one.
 */
export class EpochSlots {
  readonly #memory: SlotMemory;
  readonly #named: ReadonlyMap<string, number>;
  readonly #keySlot = (keyText: string) => keyedHash(this.#memory.epochKey, keyText) % EPOCH_SLOTS;

  constructor(memory: SlotMemory) {
    this.#memory = memory;
    this.#named = new Map(memory.namedBuckets.map((name, number) => [bucketText(name), number]));
  }

  of(name: BucketName): KeySlots {
    return { bucketSlot: this.#bucketSlot(bucketText(name)), keySlot: this.#keySlot };
  }

  /** Of a bucket at a web origin. */
  ofWeb(name: BucketName): WebSlots {
    const { epochKey, webParts } = this.#memory;
    const { keySlots, groupSlots } = webParts;
    const text = bucketText(name);
    const part = partOf(webParts, keyedHash(epochKey, text));
    const firstKey = EPOCH_SLOTS + part * keySlots;
    const firstGroup = TAG_SLOTS + part * groupSlots;
    return {
      bucketSlot: this.#bucketSlot(text),
      keySlot: keyText => firstKey + (keyedHash(epochKey, keyText) % keySlots),
      groupSlot: tag => firstGroup + (keyedHash(epochKey, tag) % groupSlots),
    };
  }

  #bucketSlot(text: string): number {
    const { epochKey, namedBuckets } = this.#memory;
    return this.#named.get(text) ?? namedBuckets.length + (keyedHash(epochKey, text) % UNNAMED_BUCKET_SLOTS);
  }
}
