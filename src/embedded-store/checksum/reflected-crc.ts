/** A reflected CRC: initial value all ones, result inverted. */
export interface CrcParameters {
  readonly widthBits: 32 | 64;
  /** The polynomial with its bits reversed, without the leading one. */
  readonly polynomial: bigint;
  readonly tables: SlicingTables;
}

/** Eight tables of 256 entries, one after the other; table k is the effect of a byte that is k places from the end. */
interface SlicingTables {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

/** Bytes processed per step. */
const LANES = 8;

/** The polynomial of IEEE 802.3, as in zip and Ethernet. */
export const crc32Parameters = crcParameters(32, 0xedb88320n);
/** RFC 3720 §12.1 (Castagnoli). */
export const crc32cParameters = crcParameters(32, 0x82f63b78n);
/** The 64-bit CRC of NVM Express, used for its protection information. */
export const crc64nvmeParameters = crcParameters(64, 0x9a6c9329ac4bc9b5n);

/**
 * Computes a CRC eight bytes per step ("slicing by 8"). The register is two 32-bit halves, since BigInt is a hundred
 * times slower; a 32-bit CRC leaves the upper half zero.
 */
export class ReflectedCrc {
  readonly #tables: SlicingTables;
  readonly #widthBits: 32 | 64;
  #low = 0xffffffff;
  #high: number;

  constructor(parameters: CrcParameters) {
    this.#tables = parameters.tables;
    this.#widthBits = parameters.widthBits;
    this.#high = parameters.widthBits === 64 ? 0xffffffff : 0;
  }

  update(bytes: Uint8Array): void {
    const whole = bytes.length - (bytes.length % LANES);
    this.#addLanes(bytes, whole);
    const { low, high } = this.#tables;
    for (let i = whole; i < bytes.length; i++) {
      const index = (this.#low ^ at(bytes, i)) & 0xff;
      this.#low = ((this.#low >>> 8) | (this.#high << 24)) ^ at(low, index);
      this.#high = (this.#high >>> 8) ^ at(high, index);
    }
  }

  /** The CRC as big-endian bytes: 4 or 8. */
  digest(): Buffer {
    const result = Buffer.alloc(this.#widthBits / 8);
    if (this.#widthBits === 64) result.writeUInt32BE(~this.#high >>> 0, 0);
    result.writeUInt32BE(~this.#low >>> 0, this.#widthBits / 8 - 4);
    return result;
  }

  #addLanes(bytes: Uint8Array, end: number): void {
    const { low: tl, high: th } = this.#tables;
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < end; i += LANES) {
      low ^= at(bytes, i) | (at(bytes, i + 1) << 8) | (at(bytes, i + 2) << 16) | (at(bytes, i + 3) << 24);
      high ^=
        at(bytes, i + 4) | (at(bytes, i + 5) << 8) | (at(bytes, i + 6) << 16) | (at(bytes, i + 7) << 24);
      const a = 0x700 | (low & 0xff);
      const b = 0x600 | ((low >>> 8) & 0xff);
      const c = 0x500 | ((low >>> 16) & 0xff);
      const d = 0x400 | (low >>> 24);
      const e = 0x300 | (high & 0xff);
      const f = 0x200 | ((high >>> 8) & 0xff);
      const g = 0x100 | ((high >>> 16) & 0xff);
      const h = high >>> 24;
      low = at(tl, a) ^ at(tl, b) ^ at(tl, c) ^ at(tl, d) ^ at(tl, e) ^ at(tl, f) ^ at(tl, g) ^ at(tl, h);
      high = at(th, a) ^ at(th, b) ^ at(th, c) ^ at(th, d) ^ at(th, e) ^ at(th, f) ^ at(th, g) ^ at(th, h);
    }
    this.#low = low;
    this.#high = high;
  }
}

function crcParameters(widthBits: 32 | 64, polynomial: bigint): CrcParameters {
  const entries = slicingEntries(polynomial);
  const low = Uint32Array.from(entries, entry => Number(entry & 0xffffffffn));
  const high = Uint32Array.from(entries, entry => Number(entry >> 32n));
  return { widthBits, polynomial, tables: { low, high } };
}

function slicingEntries(polynomial: bigint): bigint[] {
  const entries: bigint[] = [];
  for (let byte = 0n; byte < 256n; byte++) {
    let entry = byte;
    for (let bit = 0; bit < 8; bit++) entry = entry & 1n ? (entry >> 1n) ^ polynomial : entry >> 1n;
    entries.push(entry);
  }
  for (let index = 256; index < LANES * 256; index++) {
    const previous = entries[index - 256] ?? 0n;
    entries.push((previous >> 8n) ^ (entries[Number(previous & 0xffn)] ?? 0n));
  }
  return entries;
}

/** An element that must exist: the indices above are always within bounds. */
function at(numbers: Uint8Array | Uint32Array, index: number): number {
  return numbers[index] ?? 0;
}
