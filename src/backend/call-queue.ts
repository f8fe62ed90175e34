import type { Clock } from '../base/clock.ts';
import { FirstByteTimes } from './first-byte-times.ts';
import type { QueueEntry, QueueVerdict } from './queue-entry.ts';

/** What a store may be asked at the same time, and how much may wait for that. */
export interface CallLimits {
  /** Calls under way. */
  readonly connections: number;
  /** Calls that wait. */
  readonly queue: number;
  /** So long a call waits while the store answers none of those before it. */
  readonly queueWaitMs: number;
  /** So long a call waits in all. */
  readonly queueTotalMs: number;
}

/** The calls about one object. */
interface Line {
  running: number;
  /** When the store last answered one of them, or was done with it. */
  movedMs: number;
  readonly waiting: QueueEntry[];
}

/** Calls are given up as a try so often in the time that others wait. */
const TRIES_IN_WAIT = 4;

/** Watches the queue while anybody waits. */
const WATCH_MS = 50;

/** A watch that comes later than this has been held up together with what the store has sent. */
const LATE_MS = 250;

/** A connection is kept so long for somebody who takes nothing, when others wait for it. */
const PAUSE_LIMIT_MS = 5_000;

/**
 * Decides which calls to a store are under way. Waiting calls take turns by object, and no object has more than half of
 * the connections, so that many calls about one object leave room for the others.
 *
 * A queue that moves keeps those who wait; one in which the store answers nothing is stuck, and refuses them.
 *
 * A store may answer for some objects and hang for others, and nothing tells which before it has been asked. So when
 * calls have waited for half of their time, calls that are silent for much longer than any answer of late has taken
 * (`FirstByteTimes`) are given up for them, the oldest first; an eighth of the connections stays theirs.
 *
 * Why so: a store that hangs for some objects and one that has just become slow for all look the same until a call is
 * answered that was asked later than the silent ones. Without such an answer, few are given up at a time, for others to
 * be tried in their place: if the store hangs, one of these is answered soon, and the rest of the silent ones go at
 * once; if it is slow, most calls stay and are answered. A burst of 200 reads of a store that takes 1.8 s for each, with
 * 128 connections: 16 are refused, and 72 if all were given up that others wait for.
 */
export class CallQueue {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  readonly #refused: (verdict: QueueVerdict) => void;
  readonly #objectShare: number;
  readonly #silentShare: number;
  readonly #lines = new Map<string, Line>();
  /** Objects with waiting calls, the next one to have its turn first. */
  readonly #turns = new Set<string>();
  /** In the order of their start. */
  readonly #running = new Set<QueueEntry>();
  /** With the moment of their arrival, in that order. */
  readonly #waiting = new Map<QueueEntry, number>();
  readonly #firstBytes = new FirstByteTimes();
  #triedMs = -Infinity;
  /** When the store last answered a call, or was done with one. */
  #movedMs = 0;
  #isWatching = false;
  #wasLate = false;
  #isStarting = false;

  constructor(limits: CallLimits, clock: Clock, refused: (verdict: QueueVerdict) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#refused = refused;
    this.#objectShare = Math.ceil(limits.connections / 2);
    this.#silentShare = Math.max(1, Math.floor(limits.connections / 8));
  }

  /** How many calls there are, by what they are doing, and how many objects they are about. */
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

  /** `entry` is over. */
  leave(entry: QueueEntry): void {
    const line = this.#lines.get(entry.object);
    if (!line) return;
    if (this.#running.delete(entry)) {
      line.running--;
      if (entry.isAnswered) this.#moved(line);
    } else if (!this.#stopWaiting(entry, line)) return;
    this.#forget(entry.object, line);
    this.#startNext();
  }

  /** The store has answered `entry`; `firstByteMs` after it was asked, if it tells how long reads take. */
  answered(entry: QueueEntry, firstByteMs: number | undefined): void {
    const line = this.#lines.get(entry.object);
    if (line) this.#moved(line);
    if (firstByteMs !== undefined) this.#firstBytes.add(firstByteMs, this.#clock.monotonicMs());
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
      for (let entry = this.#next(); entry; entry = this.#next()) this.#start(entry);
    } finally {
      this.#isStarting = false;
    }
  }

  /** The first call of the object whose turn it is. */
  #next(): QueueEntry | undefined {
    if (this.#running.size >= this.#limits.connections) return undefined;
    for (const object of this.#turns) {
      const line = this.#lines.get(object);
      if (line && this.#mayStart(line)) return line.waiting[0];
    }
    return undefined;
  }

  #start(entry: QueueEntry): void {
    const line = this.#lineOf(entry.object);
    this.#stopWaiting(entry, line);
    line.running++;
    this.#running.add(entry);
    entry.start();
  }

  /** Takes `entry` out of its line; the object has had its turn. */
  #stopWaiting(entry: QueueEntry, line: Line): boolean {
    if (!this.#waiting.delete(entry)) return false;
    line.waiting.splice(line.waiting.indexOf(entry), 1);
    this.#turns.delete(entry.object);
    if (line.waiting.length > 0) this.#turns.add(entry.object);
    return true;
  }

  /** The last call of the longest line makes room for one of a shorter line. */
  #makeRoom(newcomer: Line): boolean {
    // each object has one call: no line is longer, and a flood of made-up keys costs no search
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
      // once: what has arrived meanwhile is read before calls are ended for their silence
      this.#wasLate = !this.#wasLate && this.#clock.monotonicMs() > dueMs + LATE_MS;
      if (!this.#wasLate) this.#endCalls();
      if (this.#waiting.size > 0) this.#watch();
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

  /** When the turn of `entry`, which waits, last came nearer: by calls about the same object while these have their share. */
  #movedFor({ object }: QueueEntry): number {
    const line = this.#lineOf(object);
    return line.running < this.#objectShare ? this.#movedMs : line.movedMs;
  }

  #giveUpSilent(): void {
    const nowMs = this.#clock.monotonicMs();
    const limitMs = this.#firstBytes.silenceLimitMs(nowMs);
    const overdue = this.#waitingSince(nowMs - this.#limits.queueWaitMs / 2);
    if (overdue === 0) return;
    const silent = Array.from(this.#running).filter(
      ({ silentSinceMs = Infinity }) => silentSinceMs <= nowMs - limitMs,
    );
    const tooMany = silent.slice(0, Math.max(0, silent.length - this.#silentShare));
    const overtaken = tooMany.filter(({ silentSinceMs = Infinity }) =>
      this.#firstBytes.hasAnsweredSince(silentSinceMs),
    );
    if (overtaken.length > 0) this.#giveUp(overtaken, overdue, 'silent');
    else if (tooMany.length > 0 && this.#isTimeToTry(nowMs))
      this.#giveUp(tooMany, Math.min(overdue, this.#silentShare), 'silent');
  }

  #isTimeToTry(nowMs: number): boolean {
    if (nowMs - this.#triedMs < this.#limits.queueWaitMs / TRIES_IN_WAIT) return false;
    this.#triedMs = nowMs;
    return true;
  }

  /** How many have waited since `untilMs` or longer. */
  #waitingSince(untilMs: number): number {
    let count = 0;
    for (const sinceMs of this.#waiting.values()) {
      if (sinceMs > untilMs) break;
      count++;
    }
    return count;
  }

  #giveUpPaused(): void {
    const untilMs = this.#clock.monotonicMs() - PAUSE_LIMIT_MS;
    const paused = Array.from(this.#running).filter(
      ({ pausedSinceMs = Infinity }) => pausedSinceMs <= untilMs,
    );
    this.#giveUp(paused, this.#waiting.size, 'paused');
  }

  /** No more than `count` of `entries`; while connections are free, only of objects that use up their share. */
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
