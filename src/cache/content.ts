import type { Coverage } from './coverage.ts';
import type { PartMap } from './part-map.ts';

/** A run of bytes lent to a response; the memory is the reader's until `release`, which is to be called once. */
export interface Loan {
  readonly bytes: Buffer;
  /** The slot of the arena that is held for it; undefined for bytes that are the reader's own. */
  readonly slot: number | undefined;
  release(): void;
}

/** Reads a content from front to back. */
export interface ContentReader {
  /**
   * The next bytes, at most a window long: at once when they are in memory, or a promise of them. Undefined at the end.
   * Rejects when they cannot be had any more: what was given before is then all there is.
   */
  next(): Loan | undefined | Promise<Loan | undefined>;
  /** The reader is done, at the end or before. To be called exactly once. */
  close(): void;
}

/** The bytes of one immutable content, wherever they are. */
export interface Content {
  readonly sizeBytes: number;
  readonly parts: PartMap;
  /** How much of `[from, to)` is in memory; it must not be empty. */
  coverage(from: number, to: number): Coverage;
  /** All of `[from, to)` in one piece, if it is in memory and short enough to be lent at once. */
  lend(from: number, to: number): Loan | undefined;
  /** The same as text, a character a byte (Latin-1): the cheapest form of a short body, and nothing to give back. */
  peekText(from: number, to: number): string | undefined;
  /** Begins to read `[from, to)`. */
  open(from: number, to: number): ContentReader;
}
