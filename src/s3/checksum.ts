import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  createCRC32,
  createCRC64,
  createXXHash3,
  createXXHash64,
  createXXHash128,
  type IHasher,
} from 'hash-wasm';

/** The checksum algorithms of the protocol, by their names in fields (`checksum-crc32c`), with their sizes in bytes. */
export const checksumSizes = {
  ...{ crc32: 4, crc32c: 4, crc64nvme: 8 },
  ...{ md5: 16, sha1: 20, sha256: 32, sha512: 64 },
  ...{ xxhash3: 8, xxhash64: 8, xxhash128: 16 },
} as const;

export type ChecksumAlgorithm = keyof typeof checksumSizes;

/** A checksum over bytes that arrive in pieces. */
export interface Checksum {
  update(bytes: Uint8Array): void;
  /** The value over all bytes so far; called once. */
  digest(): Buffer;
}

/** Whether `name` is the name of an algorithm in fields. */
export function isChecksumAlgorithm(name: string): name is ChecksumAlgorithm {
  return Object.hasOwn(checksumSizes, name);
}

/** Whether `value` is what the algorithm gives, in base64. */
export function isChecksumValue(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === checksumSizes[algorithm] && bytes.toString('base64') === value;
}

export function createChecksum(algorithm: ChecksumAlgorithm): Checksum {
  switch (algorithm) {
    case 'crc32':
      return new Crc32();
    case 'crc32c':
      return new WasmChecksum(castagnoli);
    case 'crc64nvme':
      return new WasmChecksum(nvme);
    case 'xxhash3':
      return new WasmChecksum(xxhash3);
    case 'xxhash64':
      return new WasmChecksum(xxhash64);
    case 'xxhash128':
      return new WasmChecksum(xxhash128);
    default:
      return createHash(algorithm);
  }
}

/** A WebAssembly instance, which all checksums of its kind share, and its state before the first byte. */
interface Engine {
  readonly hasher: IHasher;
  readonly initial: Uint8Array;
}

/** RFC 3720 §12.1 (Castagnoli), and the CRC of NVM Express; polynomials with their bits reversed. */
const castagnoli = engineOf(await createCRC32(0x82f63b78));
const nvme = engineOf(await createCRC64('9a6c9329ac4bc9b5'));

/** With the seed 0. */
const xxhash3 = engineOf(await createXXHash3());
const xxhash64 = engineOf(await createXXHash64());
const xxhash128 = engineOf(await createXXHash128());

function engineOf(hasher: IHasher): Engine {
  return { hasher, initial: hasher.init().save() };
}

class WasmChecksum implements Checksum {
  readonly #hasher: IHasher;
  #state: Uint8Array;

  constructor({ hasher, initial }: Engine) {
    this.#hasher = hasher;
    this.#state = initial;
  }

  update(bytes: Uint8Array): void {
    this.#state = this.#hasher.load(this.#state).update(bytes).save();
  }

  digest(): Buffer {
    return Buffer.from(this.#hasher.load(this.#state).digest('binary'));
  }
}

class Crc32 implements Checksum {
  #value = 0;

  update(bytes: Uint8Array): void {
    this.#value = crc32(bytes, this.#value);
  }

  digest(): Buffer {
    const value = Buffer.alloc(checksumSizes.crc32);
    value.writeUInt32BE(this.#value);
    return value;
  }
}
