import type { ContentCoding } from '../http/content-coding.ts';
import type { TraceContext } from '../http/trace-context.ts';
import type { Coverage } from './coverage.ts';
import type { PartMap } from './part-map.ts';

/** Bytes lent to a response. The memory stays valid until `release`, which must be called exactly once. */
export interface Loan {
  readonly bytes: Buffer;
  /** The arena slot that is pinned; undefined when the bytes are a private copy. */
  readonly slot: number | undefined;
  release(): void;
}

/** Reads a content from front to back. */
export interface ContentReader {
  /**
   * The next bytes: synchronously if they are in memory, otherwise as a promise; undefined at the end. At most one
   * loan's worth, and at most `limitBytes` if this worker owns the object. Rejects when the rest can no longer be read;
   * the bytes returned before stay valid.
   */
  next(limitBytes?: number): Loan | undefined | Promise<Loan | undefined>;
  /**
   * How much of what is read was in memory when the reading began, where another worker tells that before the first bytes;
   * undefined where `Content.coverage` has told it.
   */
  readonly held?: Coverage | undefined;
  /** Ends the reading, at the end or early. Must be called exactly once. */
  close(): void;
}

/** What is made of a content in other codings (RFC 9110 §8.4). */
export interface Encodings {
  /** The content in `coding`, if it can be read at once. */
  in(coding: ContentCoding): Content | undefined;
  /** Has it made for those who read later, where that is possible now and gains something. */
  make(coding: ContentCoding): void;
  /** It could not be read. */
  forget(coding: ContentCoding): void;
}

/** The bytes of one immutable content, wherever they are. */
export interface Content {
  readonly sizeBytes: number;
  readonly parts: PartMap;
  readonly encodings?: Encodings | undefined;
  /** How much of `[from, to)` is in memory; the range must not be empty. */
  coverage(from: number, to: number): Coverage;
  /** All of `[from, to)` in one piece, if it is in memory and fits one loan. */
  lend(from: number, to: number): Loan | undefined;
  /**
   * Bytes `[from, to)` as Latin-1 text, if they are in memory: the cheapest form for a short body, and nothing to
   * release.
   */
  peekText(from: number, to: number): string | undefined;
  /**
   * Starts reading `[from, to)`.
   *
   * @param hasBegun whether bytes before `from` have already been sent
   * @param trace of the request that wants the bytes
   */
  open(from: number, to: number, hasBegun?: boolean, trace?: TraceContext): ContentReader;
}

/** `loan` if it has the wanted length; otherwise it is released. */
export function wholeLoan(loan: Loan | undefined, lengthBytes: number): Loan | undefined {
  if (!loan || loan.bytes.length === lengthBytes) return loan;
  loan.release();
  return undefined;
}
