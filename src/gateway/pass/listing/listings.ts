import type { Clock } from '../../../base/clock.ts';
import { FairTurns } from './fair-turns.ts';
import { PageRoom } from './page-room.ts';
import { PageTurns } from './page-turns.ts';

/**
 * Listings that ask their stores at a time, until the page was read. More would be asked for pages that then wait for
 * their turn in memory.
 */
const asking = { turns: 8, waiting: 1_000, waitMs: 10_000 };

/** Schedules the listings of one worker, fairly between clients, and bounds the memory they need. */
export class Listings {
  readonly clock: Clock;
  readonly asks: FairTurns;
  readonly pages: PageTurns;
  readonly room = new PageRoom();

  constructor(clock: Clock) {
    this.clock = clock;
    this.asks = new FairTurns(asking, clock);
    this.pages = new PageTurns(clock);
  }
}
