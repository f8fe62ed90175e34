import { type ChecksumAlgorithm, checksumSizes } from './checksum.ts';

/** Puts content into the form in which a store gets it. What comes last is passed on by `end` alone. */
export interface PayloadEncoder {
  readonly lengthBytes: number;
  /**
   * Keeps nothing of `bytes` after the call.
   *
   * @throws RangeError for more content than was announced; nothing of `bytes` is passed on then
   */
  content(bytes: Buffer): void;
  /** @param trailer the value of the checksum in the trailer, where there is one */
  end(trailer: string | undefined): void;
}

type Pass = (bytes: Buffer) => void;

/**
 * Plain content. The piece with its last byte is held back as a copy, since its memory may be reused for the next read.
 */
export class PlainEncoder implements PayloadEncoder {
  readonly lengthBytes: number;
  readonly #pass: Pass;
  #takenBytes = 0;
  #held: Buffer | undefined;

  constructor(lengthBytes: number, pass: Pass) {
    this.lengthBytes = lengthBytes;
    this.#pass = pass;
  }

  content(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#takenBytes += bytes.length;
    requireAnnounced(this.#takenBytes, this.lengthBytes);
    if (this.#takenBytes < this.lengthBytes) this.#pass(bytes);
    else this.#held = Buffer.from(bytes);
  }

  end(): void {
    if (this.#held) this.#pass(this.#held);
    this.#held = undefined;
  }
}

/** Stores take chunks from 8 KiB; some take none above 16 MiB. */
const CHUNK_BYTES = 1024 * 1024;

const CRLF = '\r\n';

/** Content in the coding `aws-chunked`, unsigned, with a checksum in its trailer. The last chunk is held back. */
export class TrailerEncoder implements PayloadEncoder {
  readonly lengthBytes: number;
  readonly #contentBytes: number;
  readonly #trailerName: string;
  readonly #pass: Pass;
  #sentBytes = 0;
  #leftInChunk = 0;

  /** @param trailerName as the store spells it */
  constructor(contentBytes: number, trailerName: string, algorithm: ChecksumAlgorithm, pass: Pass) {
    this.#contentBytes = contentBytes;
    this.#trailerName = trailerName;
    this.#pass = pass;
    const valueLength = 4 * Math.ceil(checksumSizes[algorithm] / 3);
    this.lengthBytes = chunksLength(contentBytes) + this.#lastChunk('').length + valueLength;
  }

  content(bytes: Buffer): void {
    requireAnnounced(this.#sentBytes + bytes.length, this.#contentBytes);
    for (let at = 0; at < bytes.length; ) {
      if (this.#leftInChunk === 0) this.#beginChunk();
      const piece = bytes.subarray(at, at + this.#leftInChunk);
      at += piece.length;
      this.#sentBytes += piece.length;
      this.#leftInChunk -= piece.length;
      this.#pass(piece);
      if (this.#leftInChunk === 0) this.#text(CRLF);
    }
  }

  end(trailer = ''): void {
    this.#text(this.#lastChunk(trailer));
  }

  #beginChunk(): void {
    this.#leftInChunk = Math.min(CHUNK_BYTES, this.#contentBytes - this.#sentBytes);
    this.#text(sizeLine(this.#leftInChunk));
  }

  #lastChunk(value: string): string {
    return `${sizeLine(0)}${this.#trailerName}:${value}${CRLF}${CRLF}`;
  }

  #text(text: string): void {
    this.#pass(Buffer.from(text, 'latin1'));
  }
}

/** Who encodes has verified the length. Without this, the store would get a complete body of what is too long. */
function requireAnnounced(sizeBytes: number, announcedBytes: number): void {
  if (sizeBytes > announcedBytes) throw new RangeError('more content than was announced');
}

function chunksLength(contentBytes: number): number {
  const restBytes = contentBytes % CHUNK_BYTES;
  const whole = ((contentBytes - restBytes) / CHUNK_BYTES) * chunkLength(CHUNK_BYTES);
  return restBytes > 0 ? whole + chunkLength(restBytes) : whole;
}

function chunkLength(sizeBytes: number): number {
  return sizeLine(sizeBytes).length + sizeBytes + CRLF.length;
}

function sizeLine(sizeBytes: number): string {
  return `${sizeBytes.toString(16)}${CRLF}`;
}
