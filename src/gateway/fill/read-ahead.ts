import type { Clock, Timer } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import type { WaitingReader } from './byte-waiters.ts';
import type { Filler } from './filler.ts';
import { EXTENT_LIMIT_BYTES, type FillReader, type Readers, wholeBlocks } from './readers.ts';
import { FIRST_BYTE_LIMIT_MS } from './slot-wait.ts';

/** A reader that reads nothing for this long has stalled. */
const LOOK_INTERVAL_MS = 3_000;

/** How often a reader retries while there are no slots. */
const ROOM_POLL_MS = 100;

/** A reader with read-ahead. */
export interface ReadAheadReader extends FillReader, WaitingReader {
  /** Whether bytes of the answer were sent: from then on the reader waits for slots instead of being refused. */
  readonly hasBegun: boolean;
  /** Managed by `ReadAhead`: how long it has waited for slots. */
  slotWaitMs: number;
  /** Managed by `ReadAhead`: everything before this position was checked, and requested if missing. */
  fetchedUntil: number;
}

/**
 * Decides how far to read ahead of each reader: as far as fits its fair share of the memory, so fast readers find their
 * bytes in memory and slow ones do not evict what others read.
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
   * Fetches what `reader` needs soon, in whole extents. A window may contain thousands of blocks, so each byte is
   * checked once, and again only when the reader reaches one that was evicted. Throws what `Filler.fetch` throws.
   */
  advance(generation: Generation, reader: ReadAheadReader): void {
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

  /** Resolves when the next byte of `reader` may be available, or when it has left; rejects when it cannot be fetched. */
  async reached(generation: Generation, reader: ReadAheadReader): Promise<void> {
    const position = reader.wants.from;
    const extent = this.#filler.claiming(generation, position);
    if (!extent) return;
    const beforeMs = extent.slotWaitMs;
    // the limit is that of the reader: it may wait in several extents, and each of them several times
    const limitMs = reader.hasBegun ? Infinity : FIRST_BYTE_LIMIT_MS - reader.slotWaitMs;
    try {
      await extent.reached(position, limitMs, reader);
    } finally {
      reader.slotWaitMs += extent.slotWaitMs - beforeMs;
    }
  }

  /** Resolves after a short delay, when it may be worth retrying for a slot. */
  roomSoon(): Promise<void> {
    return new Promise(resolve => this.#clock.after(ROOM_POLL_MS, resolve));
  }

  /** `reader` has left: what only it wanted is no longer fetched. */
  leave(generation: Generation, reader: FillReader): void {
    if (this.#readers.leave(generation, reader)) this.#filler.readerLeft(generation, reader);
  }

  /** Makes unread read-ahead of stalled readers the first to be evicted. */
  #look(): void {
    for (const generation of this.#readers.findStalled())
      generation.demoteUnread((from, to) => this.#readers.isWantedSoon(generation, from, to));
    this.#nextLook = this.#readers.hasAny
      ? this.#clock.after(LOOK_INTERVAL_MS, () => this.#look())
      : undefined;
  }
}
