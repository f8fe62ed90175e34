/** Names one object: the store it is in, the bucket there and the key there. */
export interface ObjectKey {
  readonly backend: string;
  readonly bucket: string;
  readonly key: string;
  /** The three in one string, unique: neither backends nor buckets hold a line break. */
  readonly text: string;
  /** 32 bits, unsigned: decides shard and epoch slot. */
  readonly hash: number;
}

/** Objects are spread over this many shards, and shards over the workers. */
export const shardCount = 256;

export function objectKey(backend: string, bucket: string, key: string): ObjectKey {
  const text = `${backend}\n${bucket}\n${key}`;
  return { backend, bucket, key, text, hash: hashText(text) };
}

/** The worker that owns all that is known of a key. */
export function ownerOf(keyHash: number, workers: number): number {
  return (keyHash % shardCount) % workers;
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
