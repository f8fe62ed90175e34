import type { Clock, Timer } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import type { Filler } from './filler.ts';
import { EXTENT_LIMIT_BYTES, type FillReader, type Readers } from './readers.ts';

/** Who has taken nothing from one look to the next has stalled. */
const LOOK_INTERVAL_MS = 3_000;

/** How often a reader asks again for what there was no room for. */
const ROOM_POLL_MS = 100;

/** A reader that content is fetched ahead of. */
export interface Fetching extends FillReader {
  /** Kept here for `ReadAhead`: what lies before has been looked through, and what was missing has been asked for. */
  fetchedUntil: number;
}

/**
 * Decides how far ahead of its readers a content is fetched: as far as fits a fair share of the memory, so that fast
 * readers find their bytes there and slow ones do not push out what others read.
 */
export class ReadAhead {
  readonly #filler: Filler;
  readonly #readers: Readers;
  readonly #clock: Clock;
  #nextLook: Timer | undefined;

  constructor(filler: Filler, readers: Readers, clock: Clock) {
    this.#filler = filler;
    this.#readers = readers;
    this.#clock = clock;
  }

  join(generation: Generation, reader: FillReader): void {
    this.#readers.join(generation, reader);
    this.#nextLook ??= this.#clock.after(LOOK_INTERVAL_MS, () => this.#look());
  }

  /**
   * Fetches what `reader` wants soon, in whole extents. Each byte is looked at once, and again only when the reader has
   * come to one that is not there any more: a window may have thousands of blocks. May throw what `Filler.fetch` throws.
   */
  advance(generation: Generation, reader: Fetching): void {
    const { from, to } = reader.wants;
    this.#readers.join(generation, reader);
    if (from >= to) return;
    const windowBytes = this.#readers.windowBytes(generation, reader);
    const extentBytes = wholeBlocks(Math.min(EXTENT_LIMIT_BYTES, windowBytes / 4), generation.blockBytes);
    const until = Math.max(from + 1, Math.min(to, wholeBlocks(from + windowBytes, extentBytes)));
    const { source } = reader;
    this.#filler.advanced(generation);
    if (this.#filler.lacks(generation, from)) {
      reader.fetchedUntil = this.#filler.fetch(generation, from, until, extentBytes, source);
    } else {
      const start = Math.max(from, reader.fetchedUntil);
      reader.fetchedUntil = this.#filler.fetchAhead(generation, start, until, extentBytes, source);
    }
  }

  /** Resolves when the byte at `position` may be there; rejects when it cannot be had. */
  reached(generation: Generation, position: number, isFirst: boolean): Promise<void> {
    return this.#filler.claiming(generation, position)?.reached(position, isFirst) ?? Promise.resolve();
  }

  /** Resolves when it may be worth asking again for what there was no room for. */
  roomSoon(): Promise<void> {
    return new Promise(resolve => this.#clock.after(ROOM_POLL_MS, resolve));
  }

  /** `reader` is gone: what it alone wanted is not fetched to the end. */
  leave(generation: Generation, reader: FillReader): void {
    if (this.#readers.leave(generation, reader)) this.#filler.stopUnwanted(generation);
  }

  /** What was fetched ahead for readers that have stalled is the first to go. */
  #look(): void {
    for (const generation of this.#readers.findStalled())
      generation.demoteUnread((from, to) => this.#readers.isWantedSoon(generation, from, to));
    this.#nextLook = this.#readers.hasAny
      ? this.#clock.after(LOOK_INTERVAL_MS, () => this.#look())
      : undefined;
  }
}

/** The largest multiple of `unitBytes` that is not above `bytes`, and one unit at the least. */
export function wholeBlocks(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.floor(bytes / unitBytes)) * unitBytes;
}
