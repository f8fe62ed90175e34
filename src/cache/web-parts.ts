/**
 * Everybody may send web origins what changes something, so each bucket at one has counters of its own for its keys and groups:
 * what is sent to it ends nothing of another.
 */
export interface WebParts {
  /** Int32 per part: the hash of the bucket that has it, 0 while none does. */
  readonly claims: SharedArrayBuffer;
  /** In each part. */
  readonly keySlots: number;
  /** In each part. */
  readonly groupSlots: number;
}

/** For buckets that come with reloads, besides one for each bucket of the start: those that go keep their parts. */
const SPARE_PARTS = 15;

/** Shared by the buckets for which there was no part left. */
const COMMON_PART = 0;

/** Of all parts. The operating system provides memory where a counter is raised, so most of it is never used. */
const ALL_KEY_SLOTS = 2 ** 24;
const ALL_GROUP_SLOTS = 2 ** 21;

/** @param buckets at web origins */
export function allocateWebParts(buckets: number): WebParts {
  const parts = 1 + SPARE_PARTS + 2 * buckets;
  const share = (all: number, least: number, most: number) =>
    Math.max(least, Math.min(most, Math.floor(all / parts)));
  return {
    claims: new SharedArrayBuffer(parts * Int32Array.BYTES_PER_ELEMENT),
    keySlots: share(ALL_KEY_SLOTS, 2 ** 13, 2 ** 17),
    groupSlots: share(ALL_GROUP_SLOTS, 2 ** 10, 2 ** 16),
  };
}

export function partCount({ claims }: WebParts): number {
  return claims.byteLength / Int32Array.BYTES_PER_ELEMENT;
}

/** The part of the bucket with this hash, the same in all threads and for ever: the first that asks for it takes a free one. */
export function partOf(parts: WebParts, hash: number): number {
  const claims = new Int32Array(parts.claims);
  const own = hash | 0 || 1;
  const places = claims.length - 1;
  for (let step = 0; step < places; step++) {
    const part = 1 + ((hash + step) % places);
    const holder = Atomics.compareExchange(claims, part, 0, own);
    if (holder === 0 || holder === own) return part;
  }
  return COMMON_PART;
}
