import { createCipheriv, createHash } from 'node:crypto';

const CHUNK_BYTES = 1024 ** 2;

/**
 * Bytes that are the same at every start and look random: the key stream of a cipher whose key is derived from the
 * name. Yields chunks of 1 MiB, the last one shorter.
 */
export function* sampleBytes(name: string, sizeBytes: number): Generator<Uint8Array> {
  const key = createHash('sha256').update(name).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK_BYTES);
  for (let left = sizeBytes; left > 0; left -= CHUNK_BYTES) {
    yield stream.update(zeros.subarray(0, Math.min(left, CHUNK_BYTES)));
  }
}
