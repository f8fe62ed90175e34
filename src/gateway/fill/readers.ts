import type { Generation } from '../../cache/generation.ts';
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

/** Who reads which content at the moment, and how far ahead of them it is to be fetched. */
export class Readers {
  readonly #memoryBytes: number;
  readonly #readers = new Map<Generation, Set<Wanting>>();
  #count = 0;

  /** @param memoryBytes of the arena that this worker fills. */
  constructor(memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
  }

  join(generation: Generation, reader: Wanting): void {
    const readers = this.#readers.get(generation) ?? new Set();
    this.#readers.set(generation, readers.add(reader));
    this.#count++;
  }

  /** Whether `reader` was one until now. */
  part(generation: Generation, reader: Wanting): boolean {
    const readers = this.#readers.get(generation);
    if (!readers?.delete(reader)) return false;
    this.#count--;
    if (readers.size === 0) this.#readers.delete(generation);
    return true;
  }

  /** Whether anybody is going to read some of `[from, to)`. */
  want(generation: Generation, from: number, to: number): boolean {
    for (const { wants } of this.#readers.get(generation) ?? [])
      if (wants.from < to && from < wants.to) return true;
    return false;
  }

  /** How far ahead of `reader` is fetched: a fair share of the memory, one block at the least. */
  windowBytes(generation: Generation, { readBytes }: Wanting): number {
    const wantedBytes = readBytes < extentLimitBytes ? firstWindowBytes : laterWindowBytes;
    const shareBytes = this.#memoryBytes / 2 / Math.max(1, this.#count);
    return Math.max(generation.blockBytes, Math.min(wantedBytes, shareBytes));
  }

  /**
   * Whether a transfer of all of `generation` is to go on at `position`: not further ahead of its readers than their
   * windows, else what it brings is evicted before it is read. Without any reader it ends after an extent.
   */
  pace(generation: Generation, position: number): 'go' | 'hold' | 'stop' {
    const readers = this.#readers.get(generation);
    if (!readers) return position < Math.max(extentLimitBytes, generation.blockBytes) ? 'go' : 'stop';
    for (const reader of readers)
      if (position < reader.wants.from + this.windowBytes(generation, reader)) return 'go';
    return 'hold';
  }
}
