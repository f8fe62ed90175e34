import type { Clock, Timer } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import type { Filler } from './filler.ts';
import { extentLimitBytes, type Readers, type Wanting } from './readers.ts';

/** Who has taken nothing from one look to the next has stalled. */
const lookIntervalMs = 3_000;

/** How often a reader asks again for what there was no room for. */
const roomPollMs = 100;

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

  join(generation: Generation, reader: Wanting): void {
    this.#readers.join(generation, reader);
    this.#nextLook ??= this.#clock.after(lookIntervalMs, () => this.#look());
  }

  /** Fetches what `reader` wants soon, in whole extents. May throw what `Filler.fetch` throws. */
  advance(generation: Generation, reader: Wanting): void {
    const { from, to } = reader.wants;
    this.#readers.join(generation, reader);
    if (from >= to) return;
    const windowBytes = this.#readers.windowBytes(generation, reader);
    const extentBytes = wholeBlocks(Math.min(extentLimitBytes, windowBytes / 4), generation.blockBytes);
    const until = Math.min(to, wholeBlocks(from + windowBytes, extentBytes));
    this.#filler.advanced(generation);
    this.#filler.fetch(generation, from, Math.max(until, from + 1), extentBytes, reader.source);
  }

  /** Resolves when the byte at `position` may be there; rejects when it cannot be had. */
  reached(generation: Generation, position: number, isFirst: boolean): Promise<void> {
    return this.#filler.claiming(generation, position)?.reached(position, isFirst) ?? Promise.resolve();
  }

  /** Resolves when it may be worth asking again for what there was no room for. */
  roomSoon(): Promise<void> {
    return new Promise(resolve => this.#clock.after(roomPollMs, resolve));
  }

  /** `reader` is gone: what it alone wanted is not fetched to the end. */
  leave(generation: Generation, reader: Wanting): void {
    if (this.#readers.leave(generation, reader)) this.#filler.stopUnwanted(generation);
  }

  /** What was fetched ahead for readers that have stalled is the first to go. */
  #look(): void {
    for (const generation of this.#readers.look())
      generation.demoteUnread((from, to) => this.#readers.wantSoon(generation, from, to));
    this.#nextLook = this.#readers.areThere
      ? this.#clock.after(lookIntervalMs, () => this.#look())
      : undefined;
  }
}

/** The largest multiple of `unitBytes` that is not above `bytes`, and one unit at the least. */
export function wholeBlocks(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.floor(bytes / unitBytes)) * unitBytes;
}
