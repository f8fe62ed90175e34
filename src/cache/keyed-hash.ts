/** A secret key of 64 bits, as two words of 32. */
export type HashKey = readonly [number, number];

/** Rounds after the last word. */
const FINAL_ROUNDS = 3;

/**
 * HalfSipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF"; Linux hashes keys of tables with it) of the
 * UTF-16LE bytes of `text`: texts with equal hashes cannot be computed without the key. Unsigned, 32 bits.
 */
export function keyedHash([k0, k1]: HashKey, text: string): number {
  let [v0, v1, v2, v3] = [k0, k1, k0 ^ 0x6c796765, k1 ^ 0x74656462];
  const words = (text.length >> 1) + 1;
  for (let round = 0; round < words + FINAL_ROUNDS; round++) {
    if (round === words) v2 ^= 0xff;
    const word = round < words ? wordAt(text, round) : 0;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}

/** Two UTF-16 units; the last word holds the length in bytes, modulo 256, in its highest byte. */
function wordAt(text: string, index: number): number {
  const at = 2 * index;
  if (at + 1 < text.length) return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const unit = at < text.length ? text.charCodeAt(at) : 0;
  return unit | ((2 * text.length) << 24);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
