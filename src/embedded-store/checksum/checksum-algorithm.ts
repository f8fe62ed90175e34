import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CRC32, CRC32C, CRC64NVME, type CrcParameters, ReflectedCrc } from './reflected-crc.ts';

/** The checksums the protocol knows, as it writes them in values. */
export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof CHECKSUM_ALGORITHMS)[number];

/** What a client that names none gets (behaviours.md 182). */
export const DEFAULT_CHECKSUM: ChecksumAlgorithm = 'CRC64NVME';

/** A value over bytes that arrive piece by piece. */
export interface Digest {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

/** Those whose value for a whole follows from the values of its parts. */
export const COMBINABLE: Readonly<Partial<Record<ChecksumAlgorithm, CrcParameters>>> = {
  CRC32,
  CRC32C,
  CRC64NVME,
};

/** The length of a value in bytes. */
export const CHECKSUM_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
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
      return new ReflectedCrc(CRC32C);
    case 'CRC64NVME':
      return new ReflectedCrc(CRC64NVME);
    default:
      return createHash(algorithm);
  }
}

/** The algorithm of that name in any case, as header names (`checksum-crc32c`) and values (`CRC32C`) give it. */
export function parseChecksumAlgorithm(name: string): ChecksumAlgorithm | undefined {
  return CHECKSUM_ALGORITHMS.find(algorithm => algorithm === name.toUpperCase());
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
