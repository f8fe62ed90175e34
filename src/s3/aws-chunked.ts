import { createHash, type Hash, hash } from 'node:crypto';
import type { ChunkSignatures } from './chunk-signatures.ts';
import { bareName } from './dialect.ts';
import { type S3Error, s3Error } from './error.ts';

/** A line with the size of a chunk and its signature takes about 100 characters, one with a checksum less. */
const LINE_LIMIT = 1_024;

/** Clients send chunks of 8 KiB at least, but for the last. A few smaller ones are taken; each costs time of its own. */
const SMALL_CHUNK_BYTES = 8 * 1024;
const SMALL_CHUNKS = 1_024;

const TRAILER_SIGNATURE = 'trailer-signature';

const LINE_FEED = 0x0a;

type Next = 'size' | 'data' | 'end of data' | 'trailers' | 'nothing';

/**
 * Decodes a body in the content coding `aws-chunked` as it arrives: `<size in hex>[;chunk-signature=…]` CRLF bytes CRLF,
 * up to a chunk of size 0; then trailers, and an empty line. (That line may be missing where there are no trailers.)
 */
export class AwsChunkedDecoder {
  /** Values by bare names, complete after `end`. */
  readonly trailers = new Map<string, string>();
  readonly #signatures: ChunkSignatures | undefined;
  readonly #declared: string | undefined;
  readonly #pass: (content: Buffer) => void;
  #next: Next = 'size';
  #line = '';
  #leftBytes = 0;
  #smallChunks = 0;
  #signature = '';
  #hash: Hash | undefined;
  #trailerLines = '';

  /**
   * @param signatures undefined for a stream whose chunks are not signed
   * @param declared bare name of the trailer that the request has announced
   * @param pass receives the content, before the signature of its chunk was checked
   */
  constructor(
    signatures: ChunkSignatures | undefined,
    declared: string | undefined,
    pass: (content: Buffer) => void,
  ) {
    this.#signatures = signatures;
    this.#declared = declared;
    this.#pass = pass;
    this.#hash = this.#newHash();
  }

  /** @throws S3Error IncompleteBody, InvalidChunkSizeError, MalformedTrailerError or SignatureDoesNotMatch */
  write(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length)
      at += this.#next === 'data' ? this.#takeData(bytes, at) : this.#takeLine(bytes, at);
  }

  /**
   * The body has ended.
   *
   * @throws S3Error IncompleteBody unless it is complete; where a trailer was announced, with the empty line behind it
   */
  end(): void {
    const hasNone = this.#line === '' && this.#trailerLines === '';
    if (this.#declared === undefined && this.#next === 'trailers' && hasNone) this.#endTrailers();
    if (this.#next !== 'nothing') throw incomplete('the body ended early');
  }

  #newHash(): Hash | undefined {
    return this.#signatures && createHash('sha256');
  }

  #takeData(bytes: Buffer, from: number): number {
    const content = bytes.subarray(from, from + this.#leftBytes);
    this.#leftBytes -= content.length;
    this.#hash?.update(content);
    if (this.#leftBytes === 0) this.#next = 'end of data';
    this.#pass(content);
    return content.length;
  }

  /** Takes what belongs to the current line; its number of bytes. */
  #takeLine(bytes: Buffer, from: number): number {
    if (this.#next === 'nothing') throw this.#followed();
    const lineFeed = bytes.subarray(from, from + LINE_LIMIT).indexOf(LINE_FEED);
    const end = lineFeed < 0 ? Math.min(bytes.length, from + LINE_LIMIT) : from + lineFeed + 1;
    this.#line += bytes.toString('latin1', from, end);
    if (this.#line.length > LINE_LIMIT) throw incomplete('a line of the coding is too long');
    if (lineFeed >= 0) this.#endLine();
    return end - from;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n')) throw incomplete('a line of the coding ends without CRLF');
    const text = line.slice(0, -2);
    if (text.includes('\r')) throw incomplete('a line of the coding holds CR');
    if (this.#next === 'size') this.#beginChunk(text);
    else if (this.#next === 'end of data') this.#endChunk(text);
    else if (text === '') this.#endTrailers();
    else this.#addTrailer(text);
  }

  #beginChunk(line: string): void {
    const [, size = '', signature] =
      /^([\da-fA-F]{1,12})(?:;chunk-signature=([\da-f]{64}))?$/.exec(line) ?? [];
    if (size === '') throw incomplete('the size of a chunk cannot be read');
    if (this.#signatures && signature === undefined) throw incomplete('a chunk is not signed');
    this.#signature = signature ?? '';
    this.#leftBytes = Number.parseInt(size, 16);
    if (this.#leftBytes < SMALL_CHUNK_BYTES && ++this.#smallChunks > SMALL_CHUNKS)
      throw s3Error('InvalidChunkSizeError');
    this.#next = this.#leftBytes > 0 ? 'data' : 'trailers';
    if (this.#leftBytes === 0) this.#checkChunk();
  }

  #endChunk(line: string): void {
    if (line !== '') throw incomplete('a chunk is longer than its size');
    this.#checkChunk();
    this.#next = 'size';
  }

  #checkChunk(): void {
    if (this.#hash) this.#signatures?.checkChunk(this.#hash.digest('hex'), this.#signature);
    this.#hash = this.#newHash();
  }

  /** Accepts the announced trailer, and its signature if it is signed; refuses anything else. */
  #addTrailer(line: string): void {
    const colon = line.indexOf(':');
    const { name, prefix } = bareName(line.slice(0, colon));
    const isKnown =
      colon >= 0 && prefix !== undefined && (name === this.#declared || name === TRAILER_SIGNATURE);
    if (!isKnown && this.trailers.size > 0) throw incomplete('the trailer is followed by something else');
    if (!isKnown || this.trailers.has(name)) throw s3Error('MalformedTrailerError');
    const value = line.slice(colon + 1).trim();
    this.trailers.set(name, value);
    if (name !== TRAILER_SIGNATURE) this.#trailerLines += `${prefix}${name}:${value}\n`;
    else if (!isSignature(value)) throw incomplete('the signature of the trailer is none');
  }

  /** Bytes follow the end. If a trailer was announced, it was replaced by an empty line. */
  #followed(): S3Error {
    const lacksTrailer = this.#declared !== undefined && !this.trailers.has(this.#declared);
    return lacksTrailer ? s3Error('MalformedTrailerError') : incomplete('bytes follow the last chunk');
  }

  #endTrailers(): void {
    this.#next = 'nothing';
    const signature = this.trailers.get(TRAILER_SIGNATURE);
    this.trailers.delete(TRAILER_SIGNATURE);
    if (this.trailers.size === 0 && signature === undefined) return;
    this.#signatures?.checkTrailers(hash('sha256', this.#trailerLines), signature ?? '');
  }
}

function isSignature(text: string): boolean {
  return /^[\da-f]{64}$/.test(text);
}

function incomplete(reason: string) {
  return s3Error('IncompleteBody', { reason });
}
