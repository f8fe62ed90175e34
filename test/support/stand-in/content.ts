import { createHash } from 'node:crypto';

/** The bytes of one object, readable at any position without holding all of them. */
export interface Content {
  readonly sizeBytes: number;
  /** Strong entity tag with its quotes. */
  readonly entityTag: string;
  /** Between one and `lengthBytes` bytes from `position`, as many as lie together; the caller does not change them. */
  slice(position: number, lengthBytes: number): Uint8Array;
}

/**
 * A prime a little below 1 MiB: a block put down one block too far differs from what belongs there, which a
 * period that divides the block size would hide.
 */
const periodBytes = 1_048_573;
const period = makePeriod();

function makePeriod(): Uint8Array {
  const bytes = new Uint8Array(periodBytes);
  let state = 0x9e3779b9;
  for (let index = 0; index < bytes.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state;
  }
  return bytes;
}

/** Content of any size that costs no memory: each byte is a function of its position and of `seed` alone. */
export function patternContent(sizeBytes: number, seed = 0): Content {
  const shift = (seed * 104_729) % periodBytes;
  return {
    sizeBytes,
    entityTag: `"pattern-${sizeBytes}-${seed}"`,
    slice(position, lengthBytes) {
      const start = (position + shift) % periodBytes;
      return period.subarray(start, Math.min(start + lengthBytes, periodBytes));
    },
  };
}

/** Content that is given; its entity tag is the MD5 of the bytes, as stores have it for a simple upload. */
export function bytesContent(bytes: Uint8Array | string): Content {
  const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return {
    sizeBytes: data.length,
    entityTag: `"${createHash('md5').update(data).digest('hex')}"`,
    slice: (position, lengthBytes) => data.subarray(position, position + lengthBytes),
  };
}

/** All pieces of `content` from `position` on, in order, each at most `pieceBytes` long. */
export function* pieces(
  content: Content,
  position = 0,
  lengthBytes = content.sizeBytes - position,
  pieceBytes = 65_536,
): Generator<Uint8Array, void, undefined> {
  const end = position + lengthBytes;
  for (let at = position; at < end; ) {
    const piece = content.slice(at, Math.min(pieceBytes, end - at));
    yield piece;
    at += piece.length;
  }
}

/** A copy of `lengthBytes` bytes from `position`, for comparing with what a client received. */
export function copyOf(content: Content, position = 0, lengthBytes = content.sizeBytes - position): Buffer {
  return Buffer.concat([...pieces(content, position, lengthBytes)]);
}

/** Whether `received` is what `content` holds from `position` on. */
export function holdsAt(content: Content, position: number, received: Uint8Array): boolean {
  if (position + received.length > content.sizeBytes) return false;
  let at = 0;
  for (const piece of pieces(content, position, received.length)) {
    if (Buffer.compare(piece, received.subarray(at, at + piece.length)) !== 0) return false;
    at += piece.length;
  }
  return true;
}
