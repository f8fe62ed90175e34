/** How the end of a body is delimited (RFC 9112 §6.3, cases 4, 6 and 8). */
export type BodyEnd =
  | { readonly kind: 'length'; readonly lengthBytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

/** The result of following bytes. */
interface FramedBytes {
  /** The length of the prefix that is certain to be body data or plain chunk-size lines. */
  readonly lengthBytes: number;
  /** How many of those bytes are data. */
  readonly dataBytes: number;
}

/** The expected next element. `other`: unknown, such as trailers, chunk extensions, or bytes after the body. */
type Next = 'data' | 'chunk size' | 'end of size' | 'end of chunk' | 'end of chunk, LF' | 'other';

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** A chunk size with more digits (4 PiB and above) is not followed. */
const DIGITS_LIMIT = 13;

/**
 * Follows the framing of a body on its connection, to know which bytes cannot be part of a header or trailer section.
 * Only plain chunks are followed: `1*HEXDIG CRLF data CRLF` (RFC 9112 §7.1). After anything else the state is unknown.
 */
export class BodyFraming {
  readonly #isChunked: boolean;
  #next: Next;
  /** Remaining bytes of the current data, or the chunk size parsed so far. */
  #sizeBytes: number;
  #digits = 0;

  private constructor(next: Next, sizeBytes: number, isChunked: boolean) {
    this.#next = next;
    this.#sizeBytes = sizeBytes;
    this.#isChunked = isChunked;
  }

  /** The framing at the start of a body. */
  static of(end: BodyEnd): BodyFraming {
    if (end.kind === 'chunked') return new BodyFraming('chunk size', 0, true);
    const sizeBytes = end.kind === 'length' ? end.lengthBytes : Number.POSITIVE_INFINITY;
    return new BodyFraming(sizeBytes > 0 ? 'data' : 'other', sizeBytes, false);
  }

  /** An unknown state. */
  static unknown(): BodyFraming {
    return new BodyFraming('other', 0, false);
  }

  /** Whether the next element is unknown. */
  get isUnknown(): boolean {
    return this.#next === 'other';
  }

  /** Whether the rest of the body is nothing but data, whose parsing costs nothing. */
  get isData(): boolean {
    return this.#next === 'data' && !this.#isChunked;
  }

  copy(): BodyFraming {
    const copy = new BodyFraming(this.#next, this.#sizeBytes, this.#isChunked);
    copy.#digits = this.#digits;
    return copy;
  }

  /** Advances over `bytes`, the next ones of the connection, as far as their role is certain. */
  follow(bytes: Uint8Array): FramedBytes {
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

  /** Advances over `lengthBytes` of data that were not followed. For chunks the state becomes unknown. */
  skip(lengthBytes: number): void {
    if (this.#isChunked) this.#next = 'other';
    else if (this.#next === 'data') this.#takeData(lengthBytes);
  }

  /** Consumes up to `lengthBytes` of data; returns how many. */
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
