import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type HashKey, keyedHash } from '../../../src/cache/keyed-hash.ts';

const key: HashKey = [0x03020100, 0x07060504];

/** The hashes of the bytes 0, 1, …: of none, of two, of four and so on (Linux, `lib/tests/siphash_kunit.c`, 32 bits). */
const published = [
  0x5814c896, 0xbc4b0e30, 0x7e059ea6, 0xa0080b65, 0x577999b1, 0xe4fa32cf, 0x6b28096c, 0x16658a7c, 0x8b31d501,
];

it.each(published.map((hash, units) => ({ units, hash })))(
  'gives the published hash of $units UTF-16 units',
  ({ units, hash }) => {
    const bytes = Buffer.from(Array.from({ length: 2 * units }, (_, index) => index));
    expect(keyedHash(key, bytes.toString('utf16le'))).toBe(hash);
  },
);

it('texts that share a hash under one key do not share it under another', () => {
  const text = (index: number) => `4:main6:bucket${index}`;
  const slotOf = (hashKey: HashKey, index: number) => keyedHash(hashKey, text(index)) % 64;
  const all = Array.from({ length: 6_400 }, (_, index) => index);
  const colliding = all.filter(index => slotOf(key, index) === slotOf(key, 0));
  expect(colliding.length).toBeGreaterThan(50);
  const other: HashKey = [1, 2];
  const still = colliding.filter(index => slotOf(other, index) === slotOf(other, 0));
  expect(still.length).toBeLessThan(12);
});

it('every word of the key counts', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1 }), (text, change) => {
      expect(keyedHash([key[0] ^ change, key[1]], text)).not.toBe(keyedHash(key, text));
      expect(keyedHash([key[0], key[1] ^ change], text)).not.toBe(keyedHash(key, text));
    }),
    { numRuns: 200, seed: 7 },
  );
});
