import type { Generation } from '../../cache/generation.ts';
import type { RangeSource } from './ranged-read.ts';

/** A reader as the fill sees it. */
export interface FillReader {
  /** The range `[from, to)` of the content still to be read. */
  readonly wants: { readonly from: number; readonly to: number };
  /** Bytes already read. */
  readonly readBytes: number;
  /** Whether the reader is waiting for bytes (rather than the bytes for the reader). */
  readonly isWaiting: boolean;
  /** The source for missing bytes. */
  readonly source: RangeSource;
}

/** What a reader had read at the last check, undefined before its first one, and whether it has stalled. */
interface Progress {
  readonly readBytes: number | undefined;
  readonly isStalled: boolean;
}

/** Longest range of a single request to a store. */
export const EXTENT_LIMIT_BYTES = 8 * 1024 * 1024;

/** Initial read-ahead, if memory allows; short, because many clients do not read to the end. */
const FIRST_WINDOW_BYTES = 8 * EXTENT_LIMIT_BYTES;

/** Read-ahead after the first extent was read. */
const LATER_WINDOW_BYTES = 16 * EXTENT_LIMIT_BYTES;

/**
 * The current readers of each content, and how far to read ahead of them. A reader that reads nothing for a while
 * counts as stalled until it moves again: nothing is fetched or kept for it.
 */
export class Readers {
  readonly #memoryBytes: number;
  readonly #readers = new Map<Generation, Map<FillReader, Progress>>();
  /** Readers that have not stalled. */
  #moving = 0;

  /** @param memoryBytes size of this worker's part of the arena */
  constructor(memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
  }

  /** Whether there are any readers. */
  get hasAny(): boolean {
    return this.#readers.size > 0;
  }

  /** `reader` has started or has moved. */
  join(generation: Generation, reader: FillReader): void {
    const readers = this.#readers.get(generation) ?? new Map<FillReader, Progress>();
    this.#readers.set(generation, readers);
    const progress = readers.get(reader);
    if (progress?.isStalled === false) return;
    this.#moving++;
    // compared at the next check, which may be right after this
    readers.set(reader, { readBytes: progress?.readBytes, isStalled: false });
  }

  /** Removes `reader`; false if it was not registered. */
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
   * Checks all readers: those that read nothing since the last check count as stalled.
   *
   * @returns the contents with newly stalled readers
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

  /** Whether any reader is going to read some of `[from, to)`. */
  isWanted(generation: Generation, from: number, to: number): boolean {
    for (const { wants } of this.#readers.get(generation)?.keys() ?? [])
      if (wants.from < to && from < wants.to) return true;
    return false;
  }

  /** The same, without stalled readers. */
  isWantedSoon(generation: Generation, from: number, to: number): boolean {
    for (const [{ wants }, { isStalled }] of this.#readers.get(generation) ?? [])
      if (!isStalled && wants.from < to && from < wants.to) return true;
    return false;
  }

  /** How far to read ahead of `reader`: its fair share of the memory, at least one block. */
  windowBytes(generation: Generation, { readBytes }: FillReader): number {
    const wantedBytes = readBytes < EXTENT_LIMIT_BYTES ? FIRST_WINDOW_BYTES : LATER_WINDOW_BYTES;
    return Math.max(generation.blockBytes, Math.min(wantedBytes, this.#shareBytes(0)));
  }

  /**
   * Size of the first request for an unknown object.
   *
   * @param others first requests in progress at the same time
   */
  firstExtentBytes(others: number): number {
    return Math.min(EXTENT_LIMIT_BYTES, this.#shareBytes(others + 1));
  }

  #shareBytes(more: number): number {
    return this.#memoryBytes / 2 / Math.max(1, this.#moving + more);
  }

  /**
   * Whether the transfer of the whole of `generation` may continue at `position`. It stays within the windows of its
   * readers, because bytes further ahead would be evicted before they are read. Without readers it stops after one
   * extent.
   */
  pace(generation: Generation, position: number): 'go' | 'hold' | 'stop' {
    const readers = this.#readers.get(generation);
    if (!readers) return position < Math.max(EXTENT_LIMIT_BYTES, generation.blockBytes) ? 'go' : 'stop';
    for (const reader of readers.keys())
      if (position < reader.wants.from + this.windowBytes(generation, reader)) return 'go';
    return 'hold';
  }
}

/** The largest multiple of `unitBytes` not above `bytes`, but at least one unit. */
export function wholeBlocks(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.floor(bytes / unitBytes)) * unitBytes;
}
