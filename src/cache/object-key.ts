import { lengthPrefixed } from '../base/length-prefixed.ts';

/** Names one object: the store it is in, the bucket there and the key there. */
export interface ObjectKey {
  readonly backend: string;
  readonly bucket: string;
  readonly key: string;
  /**
   * The three in one string, different for any other three. A length-prefixed text appended to it gives a unique name
   * again.
   */
  readonly text: string;
  /**
   * 32 bits, unsigned: decides shard and epoch slot. Others may have the same, and clients can look for keys that do: that
   * costs them, and whoever shares the slot, questions to the store. Nothing takes two keys for one because of it.
   */
  readonly hash: number;
}

/** Objects are spread over this many shards, and shards over the workers. */
export const SHARD_COUNT = 256;

export function objectKey(backend: string, bucket: string, key: string): ObjectKey {
  const text = lengthPrefixed(backend) + lengthPrefixed(bucket) + lengthPrefixed(key);
  return { backend, bucket, key, text, hash: hashText(text) };
}

/** The objects of one bucket whose keys begin alike. */
export type KeyRange = Pick<ObjectKey, 'backend' | 'bucket'> & { readonly keyPrefix: string };

export function isInRange({ backend, bucket, key }: ObjectKey, range: KeyRange): boolean {
  return backend === range.backend && bucket === range.bucket && key.startsWith(range.keyPrefix);
}

/** The worker that owns all that is known of a key. */
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
