import type { Generation } from '../../cache/generation.ts';
import type { Filler } from './filler.ts';
import type { RangeSource } from './ranged-read.ts';

/** A reader, as far as the fetching is concerned. */
export interface Wanting {
  /** `[from, to)` of the content, still to be read. */
  readonly wants: { readonly from: number; readonly to: number };
  /** Bytes that have been read. */
  readonly readBytes: number;
  /** How bytes of the content are asked of its store. */
  readonly source: RangeSource;
}

/** The longest run of bytes that is asked of a store in one request. */
export const extentLimitBytes = 8 * 1024 * 1024;

/** A reader has this much fetched ahead of it at first, if the memory allows it: many do not read to the end. */
const firstWindowBytes = 8 * extentLimitBytes;

/** And this much once it has read an extent. */
const laterWindowBytes = 16 * extentLimitBytes;

/**
 * Decides how far ahead of its readers a content is fetched: as far as fits a fair share of the memory, so that fast
 * readers find their bytes there and slow ones do not push out what others read.
 */
export class ReadAhead {
  readonly #filler: Filler;
  readonly #memoryBytes: number;
  readonly #readers = new Map<Generation, Set<Wanting>>();
  #readerCount = 0;

  /** @param memoryBytes of the arena that this worker fills. */
  constructor(filler: Filler, memoryBytes: number) {
    this.#filler = filler;
    this.#memoryBytes = memoryBytes;
  }

  join(generation: Generation, reader: Wanting): void {
    const readers = this.#readers.get(generation) ?? new Set();
    this.#readers.set(generation, readers.add(reader));
    this.#readerCount++;
  }

  /** Fetches what `reader` wants soon, in whole extents. May throw what `Filler.fetch` throws. */
  advance(generation: Generation, reader: Wanting): void {
    const { from, to } = reader.wants;
    if (from >= to) return;
    const windowBytes = this.#windowBytes(generation, reader);
    const extentBytes = wholeBlocks(Math.min(extentLimitBytes, windowBytes / 4), generation.blockBytes);
    const until = Math.min(to, wholeBlocks(from + windowBytes, extentBytes));
    this.#filler.fetch(generation, from, Math.max(until, from + 1), extentBytes, reader.source);
  }

  /** Resolves when the byte at `position` may be there; rejects when it cannot be had. */
  reached(generation: Generation, position: number): Promise<void> {
    return this.#filler.claiming(generation, position)?.reached(position) ?? Promise.resolve();
  }

  /** `reader` is gone: what it alone wanted is not fetched to the end. */
  part(generation: Generation, reader: Wanting): void {
    const readers = this.#readers.get(generation);
    if (!readers?.delete(reader)) return;
    this.#readerCount--;
    if (readers.size === 0) this.#readers.delete(generation);
    this.#filler.stopUnwanted(generation, (from, to) => isWanted(readers, from, to));
  }

  #windowBytes(generation: Generation, { readBytes }: Wanting): number {
    const wantedBytes = readBytes < extentLimitBytes ? firstWindowBytes : laterWindowBytes;
    const shareBytes = this.#memoryBytes / 2 / Math.max(1, this.#readerCount);
    return Math.max(generation.blockBytes, Math.min(wantedBytes, shareBytes));
  }
}

/** The largest multiple of `unitBytes` that is not above `bytes`, and one unit at the least. */
function wholeBlocks(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.floor(bytes / unitBytes)) * unitBytes;
}

function isWanted(readers: Iterable<Wanting>, from: number, to: number): boolean {
  for (const reader of readers) if (reader.wants.from < to && from < reader.wants.to) return true;
  return false;
}
