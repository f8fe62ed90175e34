import type { CrcParameters } from './reflected-crc.ts';

/**
 * The CRC of two concatenated pieces, computed from their CRCs and the second piece's length in bytes: the first CRC is
 * multiplied by x^(8·length) modulo the polynomial and added to the second. So the CRC of an object follows from those
 * of its parts without reading any data.
 */
export function combineCrc(
  parameters: CrcParameters,
  first: Uint8Array,
  second: Uint8Array,
  secondBytes: number,
): Buffer {
  const shifted = multiply(parameters, toBigInt(first), power(parameters, BigInt(secondBytes) * 8n));
  const bytes = parameters.widthBits / 8;
  return Buffer.from((shifted ^ toBigInt(second)).toString(16).padStart(bytes * 2, '0'), 'hex');
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** x to the power of `exponent`; in the reflected form the highest bit is x⁰. */
function power(parameters: CrcParameters, exponent: bigint): bigint {
  const one = 1n << BigInt(parameters.widthBits - 1);
  let result = one;
  let square = one >> 1n;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiply(parameters, result, square);
    square = multiply(parameters, square, square);
  }
  return result;
}

function multiply({ widthBits, polynomial }: CrcParameters, a: bigint, b: bigint): bigint {
  let product = 0n;
  let term = b;
  for (let bit = 1n << BigInt(widthBits - 1); bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= term;
    term = term & 1n ? (term >> 1n) ^ polynomial : term >> 1n;
  }
  return product;
}
