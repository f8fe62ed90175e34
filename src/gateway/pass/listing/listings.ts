import type { Clock } from '../../../base/clock.ts';
import { FairRoom } from '../../../base/fair-room.ts';
import { FairTurns } from '../../../base/fair-turns.ts';
import { SlicedWork } from '../../../base/sliced-work.ts';
import { OverloadedError } from '../../fill/fill-error.ts';

/**
 * Listings that ask their stores at a time, until the page was read. More would be asked for pages that then wait for
 * their turn in memory.
 */
const asking = { turns: 8, waiting: 1_000, waitMs: 10_000 };

/**
 * Pages in work at a time. A page in work needs memory for its parsed elements, several times that of its text, and
 * with fewer at a time each ends earlier. With one, a large page would hold up all small ones.
 */
const reading = { turns: 2, waiting: 1_000, waitMs: 10_000 };

/** Memory for the listings of one worker: bodies of the store, entries read, and pages that clients have not taken. */
const ROOM_BYTES = 64 * 1024 * 1024;

const overload = () => new OverloadedError();

/**
 * Schedules the listings of one worker, fairly between clients, and bounds the memory they need. Clients may request any
 * number of pages at once, and parsing one of a thousand names takes tens of milliseconds.
 */
export class Listings {
  readonly clock: Clock;
  readonly asks: FairTurns;
  readonly pages: SlicedWork;
  readonly room = new FairRoom(ROOM_BYTES, overload);

  constructor(clock: Clock) {
    this.clock = clock;
    this.asks = new FairTurns(asking, clock, overload);
    this.pages = new SlicedWork(new FairTurns(reading, clock, overload), clock);
  }
}
