import { hashText } from './object-key.ts';

/** In front of all, followed by a byte for the version. */
const HASH_BYTES = 4;

/** Shorter texts are repeated rather than referred to. */
const SHORTEST_REFERENCE = 4;

/** What a text begins with that is not its length. */
const ABSENT = 0;
const REPEATED = 1;
const FIRST_LENGTH = 2;

/** What a number begins with. */
const POSITIVE = 1;
const NEGATIVE = 2;
const FRACTION = 3;

/** The sequence is cut off, changed, or of a version that is not known here. */
export class DamagedBytesError extends Error {
  readonly code = 'DAMAGED_BYTES';
}

/**
 * Writes values as one sequence of bytes, each a character up to U+00FF: V8 holds such a text in one piece of as many bytes,
 * which costs less than any buffer of that size.
 */
export class ByteTextWriter {
  #text = '';
  readonly #written = new Map<string, number>();

  /** A whole number from 0 on, in few bytes when it is small. */
  count(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#text += String.fromCharCode(128 + (rest % 128));
      rest = Math.floor(rest / 128);
    }
    this.#text += String.fromCharCode(rest);
  }

  number(value: number | undefined): void {
    if (value === undefined) this.count(ABSENT);
    else if (Number.isSafeInteger(value)) {
      this.count(value < 0 ? NEGATIVE : POSITIVE);
      this.count(Math.abs(value));
    } else {
      this.count(FRACTION);
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(value);
      this.#text += bytes.toString('latin1');
    }
  }

  /** Any text; one that was written before takes a few bytes. */
  text(value: string | undefined): void {
    if (value === undefined) {
      this.count(ABSENT);
      return;
    }
    const before = this.#written.get(value);
    if (before !== undefined) {
      this.count(REPEATED);
      this.count(before);
      return;
    }
    if (value.length >= SHORTEST_REFERENCE) this.#written.set(value, this.#written.size);
    const isWide = hasWideCharacters(value);
    this.count(FIRST_LENGTH + 2 * value.length + (isWide ? 1 : 0));
    this.#text += isWide ? Buffer.from(value, 'utf16le').toString('latin1') : value;
  }

  /** The sequence, with `version` and a hash of it in front. */
  finish(version: number): string {
    const bytes = Buffer.from(`    ${String.fromCharCode(version)}${this.#text}`, 'latin1');
    bytes.writeUInt32BE(hashText(bytes.toString('latin1', HASH_BYTES)));
    return bytes.toString('latin1');
  }
}

/** Reads what `ByteTextWriter` wrote; a later writer of the same version may have written more behind it. */
export class ByteTextReader {
  readonly #bytes: string;
  readonly #read: string[] = [];
  #at = HASH_BYTES + 1;

  /** @throws DamagedBytesError; so does each method */
  constructor(bytes: string, version: number) {
    this.#bytes = bytes;
    if (bytes.charCodeAt(HASH_BYTES) !== version) throw new DamagedBytesError('the version is not known');
    if (hashIn(bytes) !== hashText(bytes, HASH_BYTES)) throw new DamagedBytesError('the bytes were changed');
  }

  count(): number {
    // most numbers are small
    const first = this.#bytes.charCodeAt(this.#at);
    if (first < 128) {
      this.#at++;
      return first;
    }
    let value = 0;
    for (let unit = 1; unit <= Number.MAX_SAFE_INTEGER; unit *= 128) {
      const byte = this.#bytes.charCodeAt(this.#at++);
      if (Number.isNaN(byte)) throw new DamagedBytesError('a number is cut off');
      value += unit * (byte % 128);
      if (byte < 128) return value;
    }
    throw new DamagedBytesError('a number is too long');
  }

  number(): number | undefined {
    const kind = this.count();
    if (kind === ABSENT) return undefined;
    if (kind === FRACTION) return Buffer.from(this.#take(8), 'latin1').readDoubleBE();
    if (kind !== POSITIVE && kind !== NEGATIVE) throw new DamagedBytesError('no kind of number');
    return kind === NEGATIVE ? -this.count() : this.count();
  }

  /** A number that is always there. */
  value(): number {
    const value = this.number();
    if (value === undefined) throw new DamagedBytesError('a number is missing');
    return value;
  }

  text(): string | undefined {
    const head = this.count();
    if (head === ABSENT) return undefined;
    if (head === REPEATED) return this.#before(this.count());
    const length = Math.floor((head - FIRST_LENGTH) / 2);
    const isWide = (head - FIRST_LENGTH) % 2 === 1;
    const bytes = this.#take(isWide ? 2 * length : length);
    const text = isWide ? Buffer.from(bytes, 'latin1').toString('utf16le') : bytes;
    if (length >= SHORTEST_REFERENCE) this.#read.push(text);
    return text;
  }

  /** A text that is always there. */
  name(): string {
    const text = this.text();
    if (text === undefined) throw new DamagedBytesError('a text is missing');
    return text;
  }

  #before(index: number): string {
    const text = this.#read[index];
    if (text === undefined) throw new DamagedBytesError('a text refers to none before it');
    return text;
  }

  #take(length: number): string {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DamagedBytesError('a text is cut off');
    const taken = this.#bytes.slice(this.#at, end);
    this.#at = end;
    return taken;
  }
}

/** The hash that stands in front. */
function hashIn(bytes: string): number {
  let hash = 0;
  for (let at = 0; at < HASH_BYTES; at++) hash = (hash << 8) | bytes.charCodeAt(at);
  return hash >>> 0;
}

function hasWideCharacters(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return true;
  return false;
}
