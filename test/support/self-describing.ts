import type { Content } from './stand-in/content.ts';

/**
 * Content that tells where it comes from: each word of eight bytes holds the number of an object (1 byte), that of a version
 * (2 bytes) and its own place, counted in words (5 bytes). So bytes of another object, of another version, from another
 * place and such that nobody wrote are all seen.
 */
export interface Origin {
  readonly object: number;
  readonly version: number;
}

const wordBytes = 8;

/** Made at one go. */
const sliceBytes = 65_536;

/** The byte at `position` of what `origin` names. */
export function describingByte({ object, version }: Origin, position: number): number {
  const word = Math.floor(position / wordBytes);
  switch (position % wordBytes) {
    case 0:
      return object & 255;
    case 1:
      return (version >> 8) & 255;
    case 2:
      return version & 255;
    case 3:
      return Math.floor(word / 2 ** 32) & 255;
    case 4:
      return (word >>> 24) & 255;
    case 5:
      return (word >>> 16) & 255;
    case 6:
      return (word >>> 8) & 255;
    default:
      return word & 255;
  }
}

/** `[from, to)` of what `origin` names. */
export function describingBytes(origin: Origin, from: number, to: number): Buffer {
  const start = from - (from % wordBytes);
  const words = Math.ceil((to - start) / wordBytes);
  const bytes = Buffer.allocUnsafe(words * wordBytes);
  // a view and two writes a word: stores of the tests make gigabytes of it
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const named = ((origin.object & 255) * 2 ** 24 + (origin.version & 65_535) * 2 ** 8) >>> 0;
  for (let word = 0; word < words; word++) {
    const place = start / wordBytes + word;
    view.setUint32(word * wordBytes, named + (Math.floor(place / 2 ** 32) & 255));
    view.setUint32(word * wordBytes + 4, place >>> 0);
  }
  return bytes.subarray(from - start, to - start);
}

/** What is wrong with `bytes`, which should be those of `origin` from `position` on; undefined when nothing is. */
export function misplaced(origin: Origin, position: number, bytes: Uint8Array): string | undefined {
  const expected = describingBytes(origin, position, position + bytes.length);
  if (Buffer.compare(expected, bytes) === 0) return undefined;
  const at = expected.findIndex((byte, index) => byte !== bytes[index]);
  const wordStart = at - ((position + at) % wordBytes);
  const word = Buffer.from(bytes.subarray(Math.max(0, wordStart), wordStart + wordBytes)).toString('hex');
  return `byte ${position + at} of object ${origin.object} version ${origin.version}: its word is ${word}`;
}

/** All of what `origin` names as the content of an object, made as it is read. */
export function describingContent(origin: Origin, sizeBytes: number): Content {
  return {
    sizeBytes,
    entityTag: `"described-${origin.object}-${origin.version}-${sizeBytes}"`,
    slice: (position, lengthBytes) =>
      describingBytes(origin, position, position + Math.min(lengthBytes, sliceBytes)),
  };
}
