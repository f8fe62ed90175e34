import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describingByte, describingBytes, misplaced } from '../../support/self-describing.ts';

const origin = fc.record({ object: fc.nat(255), version: fc.nat(65_535) });
const place = fc.oneof(fc.nat(100), fc.nat(2 ** 42 - 100));

it('any run of bytes is the bytes one by one', () => {
  fc.assert(
    fc.property(origin, place, fc.nat(40), (one, from, length) => {
      const bytes = Array.from({ length }, (_, index) => describingByte(one, from + index));
      expect([...describingBytes(one, from, from + length)]).toEqual(bytes);
      expect(misplaced(one, from, Buffer.from(bytes))).toBeUndefined();
    }),
  );
});

it('tells bytes of another object, version or place, and such that nobody wrote', () => {
  const one = { object: 1, version: 2 };
  const isWrong = (bytes: Buffer) => misplaced(one, 16, bytes) !== undefined;
  expect(isWrong(describingBytes({ object: 3, version: 2 }, 16, 32))).toBe(true);
  expect(isWrong(describingBytes({ object: 1, version: 3 }, 16, 32))).toBe(true);
  expect(isWrong(describingBytes(one, 24, 40))).toBe(true);
  expect(isWrong(Buffer.alloc(16))).toBe(true);
  expect(misplaced(one, 12, describingBytes(one, 12, 20).fill(0xa5, 5))).toContain('byte 17 of object 1');
});
