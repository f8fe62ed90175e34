import type { Generation } from '../../cache/generation.ts';
import type { Filler } from './filler.ts';
import { extentLimitBytes, type Readers, type Wanting } from './readers.ts';

/**
 * Decides how far ahead of its readers a content is fetched: as far as fits a fair share of the memory, so that fast
 * readers find their bytes there and slow ones do not push out what others read.
 */
export class ReadAhead {
  readonly #filler: Filler;
  readonly #readers: Readers;

  constructor(filler: Filler, readers: Readers) {
    this.#filler = filler;
    this.#readers = readers;
  }

  join(generation: Generation, reader: Wanting): void {
    this.#readers.join(generation, reader);
  }

  /** Fetches what `reader` wants soon, in whole extents. May throw what `Filler.fetch` throws. */
  advance(generation: Generation, reader: Wanting): void {
    const { from, to } = reader.wants;
    if (from >= to) return;
    const windowBytes = this.#readers.windowBytes(generation, reader);
    const extentBytes = wholeBlocks(Math.min(extentLimitBytes, windowBytes / 4), generation.blockBytes);
    const until = Math.min(to, wholeBlocks(from + windowBytes, extentBytes));
    this.#filler.advanced(generation);
    this.#filler.fetch(generation, from, Math.max(until, from + 1), extentBytes, reader.source);
  }

  /** Resolves when the byte at `position` may be there; rejects when it cannot be had. */
  reached(generation: Generation, position: number): Promise<void> {
    return this.#filler.claiming(generation, position)?.reached(position) ?? Promise.resolve();
  }

  /** `reader` is gone: what it alone wanted is not fetched to the end. */
  part(generation: Generation, reader: Wanting): void {
    if (this.#readers.part(generation, reader)) this.#filler.stopUnwanted(generation);
  }
}

/** The largest multiple of `unitBytes` that is not above `bytes`, and one unit at the least. */
function wholeBlocks(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.floor(bytes / unitBytes)) * unitBytes;
}
