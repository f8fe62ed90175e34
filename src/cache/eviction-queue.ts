import { AgedRuns, type Kept, NOTHING_KEPT } from './aged-runs.ts';
import { GhostList } from './ghost-list.ts';
import { RunQueue } from './run-queue.ts';
import type { RunTable } from './run-table.ts';

/** The state of slots that eviction decides on. */
interface SlotState {
  /** How often the slot was read again, as far as that is counted (`SlotPins.visit`). */
  visits(run: number): number;
  setVisits(run: number, visits: number): void;
  /** Whether the slot is pinned by a reader at the moment. */
  isHeld(run: number): boolean;
  /** Whether the slot has not been read since it was filled, as far as its owner knows. */
  isUnread(run: number): boolean;
  /** It is not unread any more. */
  wasRead(run: number): void;
  /** Identifies the content; the same each time the content is filled. */
  contentHash(run: number): number;
}

/** Share of what can be evicted for the small queue: contents read once pass through it without displacing the rest. */
const SMALL_SHARE = 0.1;

/** How much of what was evicted from the small queue is remembered, as a share of the memory. */
const REMEMBERED_SHARE = 0.9;

/** The remembered contents are as many as would be in memory if they had this many granules each. */
const GRANULES_PER_GHOST = 4;

/**
 * Share of the memory that prefetched blocks may occupy and still be spared until their first read: a reader that comes to
 * them would otherwise fetch them a second time.
 */
const UNREAD_SHARE = 1 / 2;

/**
 * How many slots of a queue one search looks at. Slots that cannot be evicted go to the end of the queue, so the next
 * search goes on behind them, and its cost does not depend on the size of the memory.
 */
const LOOKS = 64;

/** Where no block goes that was read again. */
const ALL: Kept = { granules: Infinity, since: -Infinity };

/** Which queue a run is in. Among the unread are those that are remembered: their next read is the second one at least. */
const place = { none: 0, unread: 1, unreadAgain: 2, small: 3, main: 4 } as const;

/**
 * Chooses the slot to evict. S3-FIFO in bytes: a small queue in front of the main queue, and a ghost list of what was evicted
 * from the small queue. A scan larger than the cache passes through the small queue and does not evict contents that are read
 * repeatedly. Slots that nobody has read yet wait in a queue of their own for their first read.
 */
export class EvictionQueue {
  readonly #runs: RunTable;
  readonly #unread: RunQueue;
  readonly #small: AgedRuns;
  readonly #main: AgedRuns;
  readonly #place: Uint8Array;
  readonly #ghosts: GhostList;
  readonly #state: SlotState;
  readonly #unreadLimit: number;

  constructor(runs: RunTable, state: SlotState) {
    const granules = runs.pages * runs.granulesPerPage;
    this.#runs = runs;
    this.#unread = new RunQueue(runs);
    this.#small = new AgedRuns(runs);
    this.#main = new AgedRuns(runs);
    this.#place = new Uint8Array(granules);
    this.#ghosts = new GhostList(granules / GRANULES_PER_GHOST, granules * REMEMBERED_SHARE);
    this.#state = state;
    this.#unreadLimit = granules * UNREAD_SHARE;
  }

  /** Granules of all contents that were ever read again. */
  get mainClock(): number {
    return this.#main.now;
  }

  /** Whether `run` is one of those of the main queue that stay. */
  isKept(run: number, kept: Kept): boolean {
    return this.isMain(run) && this.#main.isKept(run, kept);
  }

  has(run: number): boolean {
    return this.#place[run] !== place.none;
  }

  isMain(run: number): boolean {
    return this.#place[run] === place.main;
  }

  /** Adds a slot whose fill is complete. */
  insert(run: number): void {
    const isKnown = this.#ghosts.take(this.#state.contentHash(run));
    const isUnread = this.#state.isUnread(run);
    if (isKnown && !isUnread) this.#pushMain(run);
    else this.#pushNew(run);
    // it may have come back for a reader that takes nothing
    if (isKnown && isUnread) this.#place[run] = place.unreadAgain;
  }

  remove(run: number): void {
    const at = this.#place[run];
    if (at === place.main) this.#main.remove(run);
    else if (at === place.small) this.#small.remove(run);
    else if (this.#isWaiting(run)) this.#unread.remove(run);
    this.#place[run] = place.none;
  }

  /** Must be called when `run` is read for the first time; `SlotState.isUnread` is false from now on. */
  firstRead(run: number): void {
    if (!this.#isWaiting(run)) return;
    const isAgain = this.#place[run] === place.unreadAgain;
    this.#unread.remove(run);
    if (isAgain) this.#pushMain(run);
    else this.#pushNew(run);
  }

  /**
   * Makes `run` the next victim: it was prefetched and its reader has stalled. `SlotState.isUnread` is false from now on.
   */
  demote(run: number): void {
    this.remove(run);
    this.#state.setVisits(run, 0);
    this.#small.unshift(run);
    this.#place[run] = place.small;
  }

  /**
   * The next victim, after slots that were read again got their second chance. It stays in the queue. Slots that are
   * still to be read come last. Undefined also when nothing was found among the slots that one search looks at.
   *
   * @param kept of what was read again, as long as there is anything else
   * @param isFirm whether that stays also where there is nothing else
   */
  peek(kept = NOTHING_KEPT, isFirm = false): number | undefined {
    // beyond their share it is the unread slots that go, not those that were read again
    const victim = this.#readVictim(this.#isUnreadTooMuch ? ALL : kept) ?? this.#unreadVictim();
    return victim ?? this.#readVictim(isFirm ? kept : NOTHING_KEPT);
  }

  /** Moves `run` to the main queue if it was read again: its second chance, before its turn. */
  promote(run: number): void {
    if (this.#place[run] !== place.small || this.#state.visits(run) === 0) return;
    this.remove(run);
    this.#pushMain(run);
    this.#state.setVisits(run, 0);
  }

  /** Whether `run` is still to be read, and should be evicted only if there is nothing else to give up. */
  spares(run: number): boolean {
    return this.#isWaiting(run) && !this.#isUnreadTooMuch;
  }

  /** Removes `run`, and remembers it if it was not in the main queue. */
  evict(run: number): void {
    if (!this.isMain(run)) this.#ghosts.add(this.#state.contentHash(run), this.#runs.lengthOf(run));
    this.remove(run);
  }

  /**
   * Whether `run` can be evicted. One that was read again moves to the main queue, where each read is worth another round. What
   * readers hold is new again until they leave it: however much that is, it takes nothing from the main queue.
   */
  mayEvict(run: number): boolean {
    const isHeld = this.#state.isHeld(run);
    const isMain = this.isMain(run);
    const visits = this.#state.visits(run);
    if (!isHeld && visits === 0) return true;
    if (this.#isWaiting(run) && visits > 0) {
      this.#wasReadByOthers(run, visits);
      return false;
    }
    const isAgain = this.#place[run] === place.unreadAgain;
    this.remove(run);
    if (isHeld) this.#pushNew(run);
    else this.#pushMain(run);
    if (isAgain) this.#place[run] = place.unreadAgain;
    if (isHeld && isMain) this.#state.setVisits(run, Math.max(visits, 1));
    if (!isHeld) this.#state.setVisits(run, isMain ? visits - 1 : 0);
    return false;
  }

  /** Its owner was not asked, since it tells of the content (`SlotTexts`). */
  #wasReadByOthers(run: number, visits: number): void {
    this.#state.wasRead(run);
    this.#state.setVisits(run, visits - 1);
    this.firstRead(run);
  }

  /** Whether `run` waits for its first read. */
  #isWaiting(run: number): boolean {
    const at = this.#place[run];
    return at === place.unread || at === place.unreadAgain;
  }

  get #isUnreadTooMuch(): boolean {
    return this.#unread.granules > this.#unreadLimit;
  }

  #unreadVictim(): number | undefined {
    for (let looks = Math.min(this.#unread.length, LOOKS); looks > 0; looks--) {
      const run = this.#unread.first;
      if (run !== undefined && this.mayEvict(run)) return run;
    }
    return undefined;
  }

  /** If every slot of the queue whose turn it is is pinned, the victim comes from the other queue. */
  #readVictim(kept: Kept): number | undefined {
    let smallLooks = Math.min(this.#small.length, LOOKS);
    let mainLooks = Math.min(2 * (this.#small.length + this.#main.length), LOOKS);
    for (;;) {
      const ofMain = mainLooks > 0 ? this.#main.first(kept) : undefined;
      const isSmall = smallLooks > 0 && (ofMain === undefined || this.#isSmallFull());
      const run = isSmall ? this.#small.first() : ofMain;
      if (run === undefined || this.mayEvict(run)) return run;
      if (isSmall) smallLooks--;
      else mainLooks--;
    }
  }

  #isSmallFull(): boolean {
    if (this.#main.length === 0 || this.#small.length === 0) return this.#small.length > 0;
    const all = this.#unread.granules + this.#small.granules + this.#main.granules;
    return this.#small.granules > all * SMALL_SHARE;
  }

  #pushNew(run: number): void {
    const isUnread = this.#state.isUnread(run);
    (isUnread ? this.#unread : this.#small).push(run);
    this.#place[run] = isUnread ? place.unread : place.small;
  }

  #pushMain(run: number): void {
    this.#place[run] = place.main;
    this.#main.push(run);
  }
}
