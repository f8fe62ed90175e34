import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDigest } from '../../src/embedded-store/checksum/checksum-algorithm.ts';
import { combineCrc } from '../../src/embedded-store/checksum/crc-combine.ts';
import {
  crc32cParameters,
  crc32Parameters,
  crc64nvmeParameters,
} from '../../src/embedded-store/checksum/reflected-crc.ts';

it.each([
  ['CRC32', crc32Parameters],
  ['CRC32C', crc32cParameters],
  ['CRC64NVME', crc64nvmeParameters],
] as const)('the %s of two pieces follows from theirs', (algorithm, parameters) => {
  const crc = (...pieces: Uint8Array[]) => {
    const digest = createDigest(algorithm);
    for (const piece of pieces) digest.update(piece);
    return digest.digest();
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 }), (a, b) => {
      expect(combineCrc(parameters, crc(a), crc(b), b.length)).toEqual(crc(a, b));
    }),
  );
});
