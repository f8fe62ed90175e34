/** The share of the cache that near records of web origins may take, in all workers together, and that of all near records. */
const WEB_SHARE = 1 / 64;
const MOST_SHARE = 1 / 16;

/** Decoded records of objects take no more than this in each worker, or a share of the cache if that is more: they are made again of what is told. */
const MOST_DECODED_BYTES = 16 * 1024 * 1024;
const MOST_DECODED_SHARE = 1 / 512;

/** Heap limits, in bytes, for near records, which are of what other workers own. */
export interface NearBytes {
  readonly webBytes: number;
  readonly objectBytes: number;
}

/** What near records may take in each of `workers` workers that share a cache of `sizeBytes`. */
export function nearBytesOf(sizeBytes: number, workers: number): NearBytes {
  if (workers === 1) return { webBytes: 0, objectBytes: 0 };
  const ofEach = sizeBytes / workers;
  const mostBytes = Math.max(MOST_DECODED_BYTES, ofEach * MOST_DECODED_SHARE);
  return {
    webBytes: Math.floor(ofEach * WEB_SHARE),
    objectBytes: Math.floor(Math.min(ofEach * (MOST_SHARE - WEB_SHARE), mostBytes)),
  };
}

/** What near records of one of `others` other workers may take. */
export function nearBytesOfOne({ webBytes, objectBytes }: NearBytes, others: number): NearBytes {
  return { webBytes: Math.floor(webBytes / others), objectBytes: Math.floor(objectBytes / others) };
}
