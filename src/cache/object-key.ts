import { lengthPrefixed } from '../base/length-prefixed.ts';

/** Identifies an object: backend, bucket at the backend, key. */
export interface ObjectKey {
  readonly backend: string;
  readonly bucket: string;
  readonly key: string;
  /** The three parts as one unambiguous string. Appending length-prefixed text keeps it unambiguous. */
  readonly text: string;
  /**
   * Unsigned 32-bit hash that selects the shard. Clients can compute it, and so choose keys that one worker owns. Keys
   * are never identified by their hash.
   */
  readonly hash: number;
  /** Which counters of `Epochs` count for the key. */
  readonly keySlot: number;
  readonly bucketSlot: number;
}

/** A bucket at its backend. */
export type BucketName = Pick<ObjectKey, 'backend' | 'bucket'>;

/** Where the keys of one bucket have their epochs, see `EpochSlots`. */
export interface KeySlots {
  readonly bucketSlot: number;
  /** @param keyText `ObjectKey.text` */
  keySlot(keyText: string): number;
}

/** Objects are distributed over this many shards, and shards over the workers. */
export const SHARD_COUNT = 256;

export function objectKey({ backend, bucket }: BucketName, key: string, slots: KeySlots): ObjectKey {
  const text = bucketText({ backend, bucket }) + lengthPrefixed(key);
  const { bucketSlot } = slots;
  return { backend, bucket, key, text, hash: hashText(text), keySlot: slots.keySlot(text), bucketSlot };
}

/** The name of a bucket as one unambiguous string. */
export function bucketText({ backend, bucket }: BucketName): string {
  return lengthPrefixed(backend) + lengthPrefixed(bucket);
}

/** The objects of one bucket whose keys share a prefix. */
export type KeyRange = BucketName & { readonly keyPrefix: string };

export function isInRange({ backend, bucket, key }: ObjectKey, range: KeyRange): boolean {
  return backend === range.backend && bucket === range.bucket && key.startsWith(range.keyPrefix);
}

/** The same of `ObjectKey.text`. */
export function isTextInRange(text: string, range: KeyRange): boolean {
  const bucket = bucketText(range);
  if (!text.startsWith(bucket)) return false;
  return text.startsWith(range.keyPrefix, text.indexOf(':', bucket.length) + 1);
}

/** The worker that owns everything known about a key. */
export function ownerOf(keyHash: number, workers: number): number {
  return (keyHash % SHARD_COUNT) % workers;
}

/** FNV-1a over UTF-16 units with a final mix, so that the low bits depend on all of the text. Unsigned, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
