import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createDigest,
  parseChecksumAlgorithm,
} from '../../../src/embedded-store/checksum/checksum-algorithm.ts';
import { checksumSizes, createChecksum, isChecksumAlgorithm } from '../../../src/s3/checksum.ts';

const digits = Buffer.from('123456789');

it.each([
  ['crc32', 'cbf43926'],
  ['crc32c', 'e3069283'],
  ['crc64nvme', 'ae8b14860a799888'],
  ['sha1', createHash('sha1').update(digits).digest('hex')],
  ['sha256', createHash('sha256').update(digits).digest('hex')],
] as const)('%s of the digits 1 to 9 is the catalogued check value', (algorithm, value) => {
  const checksum = createChecksum(algorithm);
  checksum.update(digits);
  const digest = checksum.digest();
  expect(digest.toString('hex')).toBe(value);
  expect(digest).toHaveLength(checksumSizes[algorithm]);
});

// vectors of versitygw (tests/integration/PostObject.go)
it.each([
  ['md5', '63M6AMDJ0zbmVpGjerVCkw=='],
  ['sha512', 'Dh4h7PEF7IU9JNcohnrXBhPCFmOkaTB0sqNhnBvTnWa1iMM3I7tGbHJCToDjymPCSQeKs0e6uUKFAOfuQwWdDQ=='],
  ['xxhash3', 'jw+pSh/pbMQ='],
  ['xxhash64', '+lb36/ER8bo='],
  ['xxhash128', '8BLDqqIWji+ITOsp/JjN/Q=='],
] as const)('%s of pieces that arrive in turns with others', (algorithm, value) => {
  const [one, other] = [createChecksum(algorithm), createChecksum(algorithm)];
  for (const piece of ['test', ' da', 'ta']) {
    one.update(Buffer.from(piece));
    other.update(Buffer.from('else'));
  }
  const digest = one.digest();
  expect(digest.toString('base64')).toBe(value);
  expect(digest).toHaveLength(checksumSizes[algorithm]);
});

it('checksums whose bytes arrive in turns do not disturb each other, and are those of the reference', () => {
  const algorithms = Object.keys(checksumSizes)
    .filter(isChecksumAlgorithm)
    .filter(name => parseChecksumAlgorithm(name) !== undefined);
  const turn = fc.tuple(fc.nat(5), fc.uint8Array({ maxLength: 300 }));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...algorithms), { minLength: 6, maxLength: 6 }),
      fc.array(turn),
      (kinds, turns) => {
        const pairs = kinds.map(kind => {
          const reference = parseChecksumAlgorithm(kind);
          if (!reference) throw new Error(kind);
          return { ours: createChecksum(kind), theirs: createDigest(reference) };
        });
        for (const [index, bytes] of turns) {
          pairs[index]?.ours.update(bytes);
          pairs[index]?.theirs.update(bytes);
        }
        for (const { ours, theirs } of pairs) expect(ours.digest()).toEqual(theirs.digest());
      },
    ),
  );
});
