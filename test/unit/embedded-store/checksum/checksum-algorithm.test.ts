import { expect, it } from 'vitest';
import {
  checksumAlgorithms,
  checksumBytes,
  createDigest,
  parseChecksumAlgorithm,
} from '../../../../src/embedded-store/checksum/checksum-algorithm.ts';
import { crc32Parameters, ReflectedCrc } from '../../../../src/embedded-store/checksum/reflected-crc.ts';

const CHECK = Buffer.from('123456789');

it.each([
  ['CRC32', 'cbf43926'],
  ['CRC32C', 'e3069283'],
  ['CRC64NVME', 'ae8b14860a799888'],
  ['SHA1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
  ['SHA256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
] as const)('%s of the usual check text is %s, in pieces of any size', (algorithm, expected) => {
  for (const size of [1, 2, 7, 8, 9]) {
    const digest = createDigest(algorithm);
    for (let at = 0; at < CHECK.length; at += size) digest.update(CHECK.subarray(at, at + size));
    const value = digest.digest();
    expect(value.toString('hex')).toBe(expected);
    expect(value).toHaveLength(checksumBytes[algorithm]);
  }
});

it('agrees with the native CRC32 over lengths around a lane of eight bytes', () => {
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, i) => (i * 73) & 0xff));
  for (let length = 0; length <= bytes.length; length++) {
    const ours = new ReflectedCrc(crc32Parameters);
    ours.update(bytes.subarray(0, length));
    const native = createDigest('CRC32');
    native.update(bytes.subarray(0, length));
    expect(ours.digest()).toEqual(native.digest());
  }
});

it('knows algorithms by their names in any case, and no others', () => {
  for (const algorithm of checksumAlgorithms) {
    expect(parseChecksumAlgorithm(algorithm.toLowerCase())).toBe(algorithm);
  }
  expect(parseChecksumAlgorithm('md5')).toBeUndefined();
});
