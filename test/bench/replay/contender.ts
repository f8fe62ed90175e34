import type { Trace } from './trace.ts';

/** A cache of whole objects, as the replay sees it. */
export interface Contender {
  /** Whether the object was held; it is read, or fetched and offered to the cache. @param at number of the request */
  request(object: number, sizeBytes: number, at: number): boolean;
}

/** The share of the requests that were hits, and of their bytes. */
export interface HitRatio {
  readonly requests: number;
  readonly bytes: number;
}

/** Runs `trace` through a cache, which may warm up with the first tenth of it. */
export function replayed(trace: Trace, contender: Contender): HitRatio {
  const { objects, sizesBytes } = trace;
  const warm = Math.floor(objects.length / 10);
  let [hits, hitBytes, bytes] = [0, 0, 0];
  for (const [at, object] of objects.entries()) {
    const sizeBytes = sizesBytes[object] ?? 0;
    const isHit = contender.request(object, sizeBytes, at);
    if (at < warm) continue;
    bytes += sizeBytes;
    if (!isHit) continue;
    hits++;
    hitBytes += sizeBytes;
  }
  return { requests: hits / Math.max(1, objects.length - warm), bytes: hitBytes / Math.max(1, bytes) };
}
