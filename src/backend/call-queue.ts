import type { Clock } from '../base/clock.ts';
import type { QueueEntry, QueueVerdict } from './queue-entry.ts';
import { SilentCalls } from './silent-calls.ts';
import { SlowReaders } from './slow-readers.ts';

/** Concurrency limits of a store. */
interface CallLimits {
  /** Calls in progress. */
  readonly connections: number;
  /** Calls waiting. */
  readonly queue: number;
  /** How long a call waits while the store answers none of the calls before it. */
  readonly queueWaitMs: number;
  /** How long a call waits in any case. */
  readonly queueTotalMs: number;
}

/** The calls for one object. */
interface Line {
  running: number;
  /** When the store last answered or completed one of them. */
  movedMs: number;
  readonly waiting: QueueEntry[];
}

/** Check interval while calls are in progress or waiting. */
const WATCH_MS = 50;

/** After this time without any answer, a store that is asked counts as silent. */
const SILENT_STORE_MS = 5_000;

/** If a check is later than this, the event loop was blocked, and answers may be unread. */
const LATE_MS = 250;

/**
 * Decides which calls to a store run. Waiting calls take turns by object, and an object gets at most half of the
 * connections, so that many calls for one object leave room for others.
 *
 * While the store answers calls, waiting calls keep waiting. When it answers nothing for `queueWaitMs`, they are
 * refused.
 *
 * Calls in progress are aborted for waiting ones when the store does not answer them (`SilentCalls`) or their readers
 * take nothing (`SlowReaders`).
 */
export class CallQueue {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  readonly #refused: (verdict: QueueVerdict) => void;
  readonly #objectShare: number;
  readonly #lines = new Map<string, Line>();
  /** Objects with waiting calls, in the order of their turns. */
  readonly #turns = new Set<string>();
  /** In the order in which they started. */
  readonly #running = new Set<QueueEntry>();
  /** Arrival times, in the order of arrival. */
  readonly #waiting = new Map<QueueEntry, number>();
  readonly #silentCalls: SilentCalls;
  readonly #slowReaders: SlowReaders;
  /** When the store last answered or completed a call, or was first asked after a pause. */
  #movedMs = 0;
  #isWatching = false;
  #wasLate = false;
  #isStarting = false;

  constructor(limits: CallLimits, clock: Clock, refused: (verdict: QueueVerdict) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#refused = refused;
    this.#objectShare = Math.ceil(limits.connections / 2);
    this.#slowReaders = new SlowReaders({ connections: limits.connections, perObject: this.#objectShare });
    this.#silentCalls = new SilentCalls(limits);
  }

  /** The number of calls in each state, and of objects they are for. */
  counts(): Record<'waiting' | 'unanswered' | 'transferring' | 'paused' | 'objects', number> {
    const objects = this.#lines.size;
    const counts = { waiting: this.#waiting.size, unanswered: 0, transferring: 0, paused: 0, objects };
    for (const { pausedSinceMs, isAnswered } of this.#running) {
      if (pausedSinceMs !== undefined) counts.paused++;
      else if (isAnswered) counts.transferring++;
      else counts.unanswered++;
    }
    return counts;
  }

  /** Starts `entry` now or later, or refuses it. */
  enter(entry: QueueEntry): void {
    const line = this.#lineOf(entry.object);
    if (this.#waiting.size === 0 && this.#mayStart(line)) {
      this.#start(entry, line);
      return;
    }
    if (this.#waiting.size >= this.#limits.queue && !this.#mayStart(line) && !this.#makeRoom(line)) {
      this.#forget(entry.object, line);
      this.#end(entry, 'full');
      return;
    }
    line.waiting.push(entry);
    this.#turns.add(entry.object);
    this.#waiting.set(entry, this.#clock.monotonicMs());
    this.#startNext();
    if (this.#waiting.size > 0) this.#watch();
  }

  /** Removes `entry`, which has ended. */
  leave(entry: QueueEntry): void {
    const line = this.#lines.get(entry.object);
    if (!line) return;
    if (this.#running.delete(entry)) {
      line.running--;
      if (entry.isAnswered) this.#moved(line);
    } else if (!this.#stopWaiting(entry, line)) return;
    this.#forget(entry.object, line);
    if (this.#waiting.size > 0) this.#startNext();
  }

  /** The store has answered `entry`. `firstByteMs` is the time to the first byte, if it is representative of reads. */
  answered(entry: QueueEntry, firstByteMs: number | undefined): void {
    const line = this.#lines.get(entry.object);
    if (line) this.#moved(line);
    if (firstByteMs !== undefined) this.#silentCalls.answered(firstByteMs, this.#clock.monotonicMs());
  }

  /** Whether nothing has been answered or completed for so long that calls given up meanwhile are failures of the store. */
  get isStoreSilent(): boolean {
    return this.#clock.monotonicMs() - this.#movedMs >= SILENT_STORE_MS;
  }

  #moved(line: Line): void {
    this.#movedMs = this.#clock.monotonicMs();
    line.movedMs = this.#movedMs;
  }

  #mayStart(line: Line): boolean {
    return this.#running.size < this.#limits.connections && line.running < this.#objectShare;
  }

  #startNext(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      for (let entry = this.#next(); entry; entry = this.#next()) {
        const line = this.#lineOf(entry.object);
        this.#stopWaiting(entry, line);
        this.#start(entry, line);
      }
    } finally {
      this.#isStarting = false;
    }
  }

  /** The first waiting call of the next object that may start one, if possible of a client that does not crowd. */
  #next(): QueueEntry | undefined {
    if (this.#running.size >= this.#limits.connections) return undefined;
    let last: QueueEntry | undefined;
    for (const object of this.#turns) {
      const line = this.#lines.get(object);
      if (!line || !this.#mayStart(line)) continue;
      const first = line.waiting.find(({ client }) => !this.#slowReaders.isCrowding(client));
      if (first) return first;
      last ??= line.waiting[0];
    }
    return last;
  }

  #start(entry: QueueEntry, line: Line): void {
    if (!this.#isAsking()) this.#movedMs = this.#clock.monotonicMs();
    line.running++;
    this.#running.add(entry);
    this.#watch();
    entry.start();
  }

  /** Whether a call in progress is still unanswered; one that only transfers says nothing about a silent store. */
  #isAsking(): boolean {
    for (const { isAnswered } of this.#running) if (!isAnswered) return true;
    return false;
  }

  /** Removes `entry` from its line; its object goes to the end of the turns. */
  #stopWaiting(entry: QueueEntry, line: Line): boolean {
    if (!this.#waiting.delete(entry)) return false;
    line.waiting.splice(line.waiting.indexOf(entry), 1);
    this.#turns.delete(entry.object);
    if (line.waiting.length > 0) this.#turns.add(entry.object);
    return true;
  }

  /** Refuses the last call of the longest line, to make room for a call of a shorter line. */
  #makeRoom(newcomer: Line): boolean {
    // fast path: every object has one waiting call, so a flood of made-up keys costs no search
    if (this.#waiting.size === this.#turns.size) return false;
    let longest = newcomer;
    for (const object of this.#turns) {
      const line = this.#lines.get(object);
      if (line && line.waiting.length > longest.waiting.length) longest = line;
    }
    const last = longest.waiting.at(-1);
    if (!last || longest.waiting.length <= newcomer.waiting.length + 1) return false;
    this.#end(last, 'full');
    return true;
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const dueMs = this.#clock.monotonicMs() + WATCH_MS;
    this.#clock.after(WATCH_MS, () => {
      this.#isWatching = false;
      const lateMs = this.#clock.monotonicMs() - dueMs;
      // readers went on taking bytes while the event loop was blocked, but that is reported later
      if (lateMs >= WATCH_MS) for (const entry of this.#running) entry.stoodStill(lateMs);
      // at most once in a row: answers that arrived meanwhile are read before calls are aborted for silence
      this.#wasLate = !this.#wasLate && lateMs > LATE_MS;
      if (!this.#wasLate && this.#waiting.size > 0) this.#endCalls();
      if (this.#waiting.size + this.#running.size > 0) this.#watch();
    });
  }

  #endCalls(): void {
    this.#giveUpSilent();
    this.#giveUpPaused();
    this.#endWaits();
  }

  #endWaits(): void {
    const nowMs = this.#clock.monotonicMs();
    const { queueWaitMs, queueTotalMs } = this.#limits;
    for (const [entry, sinceMs] of this.#waiting) {
      if (nowMs - sinceMs < queueWaitMs) return;
      const isStuck = nowMs - this.#movedFor(entry) >= queueWaitMs;
      if (isStuck || nowMs - sinceMs >= queueTotalMs) this.#end(entry, 'waited');
    }
  }

  /**
   * When the store last made progress that brings `entry` closer to its turn: on its own object while that has used up
   * its share, else on any.
   */
  #movedFor({ object }: QueueEntry): number {
    const line = this.#lineOf(object);
    return line.running < this.#objectShare ? this.#movedMs : line.movedMs;
  }

  #giveUpSilent(): void {
    const nowMs = this.#clock.monotonicMs();
    const overdue = this.#waitingSince(nowMs - this.#limits.queueWaitMs / 2);
    if (overdue === 0) return;
    const { calls, count } = this.#silentCalls.toGiveUp(this.#running, overdue, nowMs);
    this.#giveUp(calls, count, 'silent');
  }

  /** How many calls have been waiting since `untilMs` or longer. */
  #waitingSince(untilMs: number): number {
    let count = 0;
    for (const sinceMs of this.#waiting.values()) {
      if (sinceMs > untilMs) break;
      count++;
    }
    return count;
  }

  #giveUpPaused(): void {
    const running = Array.from(this.#running);
    const calls = this.#slowReaders.toGiveUp(running, this.#turns, this.#clock.monotonicMs());
    this.#giveUp(calls, this.#waiting.size, 'paused');
  }

  /**
   * Ends at most `count` of `entries`. While connections are free, only those of objects that have used up their share.
   */
  #giveUp(entries: readonly QueueEntry[], count: number, verdict: QueueVerdict): void {
    const isFull = this.#running.size >= this.#limits.connections;
    const inTheWay = isFull ? entries : entries.filter(({ object }) => this.#turns.has(object));
    for (const entry of inTheWay.slice(0, count)) this.#end(entry, verdict);
  }

  #end(entry: QueueEntry, verdict: QueueVerdict): void {
    this.#refused(verdict);
    entry.endedBy(verdict);
  }

  #lineOf(object: string): Line {
    const known = this.#lines.get(object);
    if (known) return known;
    const line: Line = { running: 0, movedMs: 0, waiting: [] };
    this.#lines.set(object, line);
    return line;
  }

  #forget(object: string, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(object);
  }
}
