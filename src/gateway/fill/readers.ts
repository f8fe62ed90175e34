import type { Generation } from '../../cache/generation.ts';
import type { RangeSource } from './ranged-read.ts';

/** A reader, as far as the fetching is concerned. */
export interface FillReader {
  /** `[from, to)` of the content, still to be read. */
  readonly wants: { readonly from: number; readonly to: number };
  /** Bytes that have been read. */
  readonly readBytes: number;
  /** Whether it is the reader who waits for bytes, and not the other way round. */
  readonly isWaiting: boolean;
  /** How bytes of the content are asked of its store. */
  readonly source: RangeSource;
}

/** How far a reader was when it was last looked at, and whether it has stalled since. */
interface Progress {
  readonly readBytes: number;
  readonly isStalled: boolean;
}

/** The longest run of bytes that is asked of a store in one request. */
export const EXTENT_LIMIT_BYTES = 8 * 1024 * 1024;

/** A reader has this much fetched ahead of it at first, if the memory allows it: many do not read to the end. */
const FIRST_WINDOW_BYTES = 8 * EXTENT_LIMIT_BYTES;

/** And this much once it has read an extent. */
const LATER_WINDOW_BYTES = 16 * EXTENT_LIMIT_BYTES;

/**
 * Who reads which content at the moment, and how far ahead of them it is to be fetched. One that takes nothing for a
 * while counts as stalled until it moves again: nothing is fetched or kept for it.
 */
export class Readers {
  readonly #memoryBytes: number;
  readonly #readers = new Map<Generation, Map<FillReader, Progress>>();
  /** Those that have not stalled. */
  #moving = 0;

  /** @param memoryBytes of the arena that this worker fills. */
  constructor(memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
  }

  /** Whether there is anybody. */
  get hasAny(): boolean {
    return this.#readers.size > 0;
  }

  /** `reader` begins, or has moved. */
  join(generation: Generation, reader: FillReader): void {
    const readers = this.#readers.get(generation) ?? new Map<FillReader, Progress>();
    this.#readers.set(generation, readers);
    if (readers.get(reader)?.isStalled !== false) this.#moving++;
    readers.set(reader, { readBytes: reader.readBytes, isStalled: false });
  }

  /** Whether `reader` was one until now. */
  leave(generation: Generation, reader: FillReader): boolean {
    const readers = this.#readers.get(generation);
    const progress = readers?.get(reader);
    if (!readers || !progress) return false;
    readers.delete(reader);
    if (!progress.isStalled) this.#moving--;
    if (readers.size === 0) this.#readers.delete(generation);
    return true;
  }

  /**
   * Looks at every reader: who has taken nothing since the last look counts as stalled from now on.
   *
   * @returns the contents in which that is somebody.
   */
  findStalled(): Generation[] {
    const found: Generation[] = [];
    for (const [generation, readers] of this.#readers) if (this.#lookAt(readers)) found.push(generation);
    return found;
  }

  #lookAt(readers: Map<FillReader, Progress>): boolean {
    let isFound = false;
    for (const [reader, { readBytes, isStalled }] of readers) {
      const hasMoved = reader.isWaiting || reader.readBytes !== readBytes;
      if (hasMoved && isStalled) this.#moving++;
      if (!hasMoved && !isStalled) {
        this.#moving--;
        isFound = true;
      }
      readers.set(reader, { readBytes: reader.readBytes, isStalled: !hasMoved });
    }
    return isFound;
  }

  /** Whether anybody is going to read some of `[from, to)`. */
  isWanted(generation: Generation, from: number, to: number): boolean {
    for (const { wants } of this.#readers.get(generation)?.keys() ?? [])
      if (wants.from < to && from < wants.to) return true;
    return false;
  }

  /** The same of those who have not stalled. */
  isWantedSoon(generation: Generation, from: number, to: number): boolean {
    for (const [{ wants }, { isStalled }] of this.#readers.get(generation) ?? [])
      if (!isStalled && wants.from < to && from < wants.to) return true;
    return false;
  }

  /** How far ahead of `reader` is fetched: a fair share of the memory, one block at the least. */
  windowBytes(generation: Generation, { readBytes }: FillReader): number {
    const wantedBytes = readBytes < EXTENT_LIMIT_BYTES ? FIRST_WINDOW_BYTES : LATER_WINDOW_BYTES;
    return Math.max(generation.blockBytes, Math.min(wantedBytes, this.#shareBytes(0)));
  }

  /**
   * How much is asked for at first of an object that nothing is known of.
   *
   * @param others that are being asked for at the same time.
   */
  firstExtentBytes(others: number): number {
    return Math.min(EXTENT_LIMIT_BYTES, this.#shareBytes(others + 1));
  }

  #shareBytes(more: number): number {
    return this.#memoryBytes / 2 / Math.max(1, this.#moving + more);
  }

  /**
   * Whether a transfer of all of `generation` is to go on at `position`: not further ahead of its readers than their
   * windows, else what it brings is evicted before it is read. Without any reader it ends after an extent.
   */
  pace(generation: Generation, position: number): 'go' | 'hold' | 'stop' {
    const readers = this.#readers.get(generation);
    if (!readers) return position < Math.max(EXTENT_LIMIT_BYTES, generation.blockBytes) ? 'go' : 'stop';
    for (const reader of readers.keys())
      if (position < reader.wants.from + this.windowBytes(generation, reader)) return 'go';
    return 'hold';
  }
}
