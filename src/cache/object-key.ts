import { lengthPrefixed } from '../base/length-prefixed.ts';
import { FNV_START, finished, withText } from './fnv.ts';

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

/** The same at a web origin, and where its groups have their barriers. */
export interface WebSlots extends KeySlots {
  /** @param tag see `groupTag` */
  groupSlot(tag: string): number;
}

/** Objects are distributed over this many shards, and shards over the workers. */
export const SHARD_COUNT = 256;

export function objectKey({ backend, bucket }: BucketName, key: string, slots: KeySlots): ObjectKey {
  const text = bucketText({ backend, bucket }) + lengthPrefixed(key);
  const { bucketSlot } = slots;
  const hash = hashText(text);
  // V8 keeps all of the string that a part was cut from: of `key` that may be a long URL
  const own = text.slice(text.length - key.length);
  return { backend, bucket, key: own, text, hash, keySlot: slots.keySlot(text), bucketSlot };
}

/** The name of a bucket as one unambiguous string. */
export function bucketText({ backend, bucket }: BucketName): string {
  return lengthPrefixed(backend) + lengthPrefixed(bucket);
}

/** The objects of one bucket whose keys share a prefix. */
export type KeyRange = BucketName & { readonly keyPrefix: string };

/** Whether the object with this `ObjectKey.text` is one of them. */
export function isTextInRange(text: string, range: KeyRange): boolean {
  const bucket = bucketText(range);
  if (!text.startsWith(bucket)) return false;
  return text.startsWith(range.keyPrefix, keyStart(text, bucket.length));
}

/** Where the name of the bucket ends in `ObjectKey.text`, and where the key begins. */
export function partsOfText(text: string): { readonly bucketEnd: number; readonly keyStart: number } {
  const bucketEnd = endOfPart(text, endOfPart(text, 0));
  return { bucketEnd, keyStart: keyStart(text, bucketEnd) };
}

function keyStart(text: string, bucketEnd: number): number {
  return text.indexOf(':', bucketEnd) + 1;
}

function endOfPart(text: string, from: number): number {
  const colon = text.indexOf(':', from);
  return colon + 1 + Number(text.slice(from, colon));
}

/** The worker that owns everything known about a key. */
export function ownerOf(keyHash: number, workers: number): number {
  return (keyHash % SHARD_COUNT) % workers;
}

/** Of `text` from `start` on. Unsigned, 32 bits. */
export function hashText(text: string, start = 0): number {
  return finished(withText(FNV_START, text, start));
}
