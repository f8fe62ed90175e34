import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type CrcParameters,
  crc32cParameters,
  crc32Parameters,
  crc64nvmeParameters,
  ReflectedCrc,
} from './reflected-crc.ts';

/** The checksum algorithms of the protocol, as spelled in values. */
export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** Used when a client names no algorithm (docs/semantics.md 182). */
export const DEFAULT_CHECKSUM: ChecksumAlgorithm = 'CRC64NVME';

/** Computes a value over bytes that arrive in pieces. */
export interface Digest {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

/** Algorithms for which the checksum of the whole can be computed from those of its parts. */
export const combinable: Readonly<Partial<Record<ChecksumAlgorithm, CrcParameters>>> = {
  CRC32: crc32Parameters,
  CRC32C: crc32cParameters,
  CRC64NVME: crc64nvmeParameters,
};

/** The length of a value in bytes. */
export const checksumBytes: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

export function createDigest(algorithm: ChecksumAlgorithm | 'MD5'): Digest {
  switch (algorithm) {
    case 'CRC32':
      return new NativeCrc32();
    case 'CRC32C':
      return new ReflectedCrc(crc32cParameters);
    case 'CRC64NVME':
      return new ReflectedCrc(crc64nvmeParameters);
    default:
      return createHash(algorithm);
  }
}

/** The algorithm with that name in any case: as in header names (`checksum-crc32c`) or values (`CRC32C`). */
export function parseChecksumAlgorithm(name: string): ChecksumAlgorithm | undefined {
  return checksumAlgorithms.find(algorithm => algorithm === name.toUpperCase());
}

class NativeCrc32 implements Digest {
  #value = 0;

  update(bytes: Uint8Array): void {
    this.#value = crc32(bytes, this.#value);
  }

  digest(): Buffer {
    const result = Buffer.alloc(4);
    result.writeUInt32BE(this.#value);
    return result;
  }
}
