/**
 * Decoded records of objects take no more than this in all, or a share of what near records may take if that is more: they are made
 * again of what is told.
 */
const MOST_DECODED_BYTES = 16 * 1024 * 1024;
const MOST_DECODED_SHARE = 1 / 32;

/** The share of near records that those of web origins may take. */
const WEB_SHARE = 1 / 4;

/** Heap limits, in bytes, for near records of what one other worker owns. */
export interface NearShares {
  readonly webBytes: number;
  readonly objectBytes: number;
}

/** What near records of each of `others` other workers may take of `recordBytes` for all of them. */
export function nearShares(recordBytes: number, others: number): NearShares {
  const ofEach = Math.floor(recordBytes / Math.max(1, others));
  const webBytes = Math.floor(ofEach * WEB_SHARE);
  const mostBytes = Math.max(
    Math.floor(MOST_DECODED_BYTES / Math.max(1, others)),
    Math.floor(ofEach * MOST_DECODED_SHARE),
  );
  return { webBytes, objectBytes: Math.min(ofEach - webBytes, mostBytes) };
}
