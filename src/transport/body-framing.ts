/** How the end of a body is told (RFC 9112 §6.3, cases 4, 6 and 8). */
export type BodyEnd =
  | { readonly kind: 'length'; readonly lengthBytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

/** What is known of bytes that were followed. */
export interface Followed {
  /** So many of them, from the first on, are certain to be data, or lines that say how long chunks are. */
  readonly lengthBytes: number;
  /** So many of those are data. */
  readonly dataBytes: number;
}

/** What comes next: `other` may be anything, such as trailers, chunk extensions, or what comes behind the body. */
type Next = 'data' | 'chunk size' | 'end of size' | 'end of chunk' | 'end of chunk, LF' | 'other';

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** A size of more digits (4 PiB and above) is not followed. */
const DIGITS_LIMIT = 13;

/**
 * Follows a body on its connection, to know which bytes can be no part of a head or a trailer. Of chunks only the plain
 * form is followed, `1*HEXDIG CRLF data CRLF` (RFC 9112 §7.1): from anything else on nothing is certain any more.
 */
export class BodyFraming {
  readonly #isChunked: boolean;
  #next: Next;
  /** Of the data that comes next, or the size as far as it has been read. */
  #sizeBytes: number;
  #digits = 0;

  private constructor(next: Next, sizeBytes: number, isChunked: boolean) {
    this.#next = next;
    this.#sizeBytes = sizeBytes;
    this.#isChunked = isChunked;
  }

  /** Of a body of which nothing has come. */
  static of(end: BodyEnd): BodyFraming {
    if (end.kind === 'chunked') return new BodyFraming('chunk size', 0, true);
    const sizeBytes = end.kind === 'length' ? end.lengthBytes : Number.POSITIVE_INFINITY;
    return new BodyFraming(sizeBytes > 0 ? 'data' : 'other', sizeBytes, false);
  }

  /** Where nothing is certain. */
  static unknown(): BodyFraming {
    return new BodyFraming('other', 0, false);
  }

  /** Whether nothing is certain of what comes next. */
  get isUnknown(): boolean {
    return this.#next === 'other';
  }

  copy(): BodyFraming {
    const copy = new BodyFraming(this.#next, this.#sizeBytes, this.#isChunked);
    copy.#digits = this.#digits;
    return copy;
  }

  /** Goes on over `bytes`, the next ones of the connection, as far as it is certain what they are. */
  follow(bytes: Uint8Array): Followed {
    let at = 0;
    let dataBytes = 0;
    while (at < bytes.length && this.#next !== 'other') {
      if (this.#next === 'data') {
        const taken = this.#takeData(bytes.length - at);
        dataBytes += taken;
        at += taken;
      } else {
        this.#step(bytes[at] ?? 0);
        if (!this.isUnknown) at++;
      }
    }
    return { lengthBytes: at, dataBytes };
  }

  /** `lengthBytes` of data have come without having been followed: where chunks go on is not known then. */
  skip(lengthBytes: number): void {
    if (this.#isChunked) this.#next = 'other';
    else if (this.#next === 'data') this.#takeData(lengthBytes);
  }

  /** How many of `lengthBytes` are data. */
  #takeData(lengthBytes: number): number {
    const taken = Math.min(lengthBytes, this.#sizeBytes);
    this.#sizeBytes -= taken;
    if (this.#sizeBytes === 0) this.#next = this.#isChunked ? 'end of chunk' : 'other';
    return taken;
  }

  #step(byte: number): void {
    switch (this.#next) {
      case 'chunk size':
        this.#next = this.#afterDigit(byte);
        return;
      case 'end of size':
        this.#next = byte === LINE_FEED && this.#sizeBytes > 0 ? 'data' : 'other';
        return;
      case 'end of chunk':
        this.#next = byte === CARRIAGE_RETURN ? 'end of chunk, LF' : 'other';
        return;
      default:
        this.#next = byte === LINE_FEED ? 'chunk size' : 'other';
        this.#digits = 0;
        this.#sizeBytes = 0;
    }
  }

  #afterDigit(byte: number): Next {
    if (byte === CARRIAGE_RETURN && this.#digits > 0) return 'end of size';
    const digit = hexDigit(byte);
    if (digit === undefined || ++this.#digits > DIGITS_LIMIT) return 'other';
    this.#sizeBytes = this.#sizeBytes * 16 + digit;
    return 'chunk size';
  }
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}
