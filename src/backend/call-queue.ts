import type { Clock } from '../base/clock.ts';
import { CallShares, type Share } from './call-shares.ts';
import type { QueueEntry, QueueVerdict } from './queue-entry.ts';
import { SilentCalls } from './silent-calls.ts';
import { SlowReaders } from './slow-readers.ts';
import { WaitingLines } from './waiting-lines.ts';

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

/** Check interval while calls are in progress or waiting. */
const WATCH_MS = 50;

/** After this time without any answer, a store that is asked counts as silent. */
const SILENT_STORE_MS = 5_000;

/** If a check is later than this, the event loop was blocked, and answers may be unread. */
const LATE_MS = 250;

/**
 * Decides which calls to a store run, within the shares that calls have of the connections (`CallShares`). Waiting reads
 * take turns by object (or target of a web origin), writes and other calls without a minimum rate by client, and both kinds take
 * turns as well.
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
  readonly #shares: CallShares;
  readonly #timed = new WaitingLines(({ object }) => object);
  readonly #untimed = new WaitingLines(({ client = '' }) => client);
  /** Which kind of waiting calls has the next turn. */
  #turns = [this.#timed, this.#untimed];
  /** In the order in which they started. */
  readonly #running = new Set<QueueEntry>();
  readonly #silentCalls: SilentCalls;
  readonly #slowReaders = new SlowReaders();
  #isWatching = false;
  #wasLate = false;
  #isStarting = false;

  constructor(limits: CallLimits, clock: Clock, refused: (verdict: QueueVerdict) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#refused = refused;
    this.#shares = new CallShares(limits.connections);
    this.#silentCalls = new SilentCalls(limits);
  }

  /** The number of calls in each state, and of objects they are for. */
  counts(): Record<'waiting' | 'unanswered' | 'transferring' | 'paused' | 'objects', number> {
    const { objects } = this.#shares;
    const counts = { waiting: this.#waitingCount, unanswered: 0, transferring: 0, paused: 0, objects };
    for (const { pausedSinceMs, isAnswered } of this.#running) {
      if (pausedSinceMs !== undefined) counts.paused++;
      else if (isAnswered) counts.transferring++;
      else counts.unanswered++;
    }
    return counts;
  }

  /** Starts `entry` now or later, or refuses it. */
  enter(entry: QueueEntry): void {
    const lines = this.#linesOf(entry);
    this.#shares.enter(entry);
    if (lines.size === 0 && this.#shares.mayStart(entry)) {
      this.#start(entry);
      return;
    }
    if (this.#isFull(lines) && !this.#shares.mayStart(entry) && !this.#makeRoom(lines, entry)) {
      this.#shares.leave(entry, false);
      this.#end(entry, 'full');
      return;
    }
    lines.add(entry, this.#clock.monotonicMs());
    this.#startNext();
    if (this.#waitingCount > 0) this.#watch();
  }

  /** Removes `entry`, which has ended. */
  leave(entry: QueueEntry): void {
    const wasRunning = this.#running.delete(entry);
    if (!wasRunning && !this.#linesOf(entry).delete(entry)) return;
    if (wasRunning && entry.isAnswered) this.#shares.moved(entry, this.#clock.monotonicMs());
    this.#shares.leave(entry, wasRunning);
    if (this.#waitingCount > 0) this.#startNext();
  }

  /** `entry` is wanted by others than its client as well, for which it does not count any more. Nothing happens where it is not here. */
  share(entry: QueueEntry): void {
    this.#shares.release(entry, this.#running.has(entry));
    if (this.#waitingCount > 0) this.#startNext();
  }

  /** The store has answered `entry`. `firstByteMs` is the time to the first byte, if it is representative of reads. */
  answered(entry: QueueEntry, firstByteMs: number | undefined): void {
    this.#shares.moved(entry, this.#clock.monotonicMs());
    if (firstByteMs !== undefined) this.#silentCalls.answered(firstByteMs, this.#clock.monotonicMs());
  }

  /** Whether a further call could start now without making others wait. */
  get hasRoom(): boolean {
    const { running, limit } = this.#shares.all;
    return this.#waitingCount === 0 && running < limit;
  }

  /** The circuit breaker has opened: refuses all waiting calls. */
  refuseWaiting(): void {
    for (const [entry] of [...this.#waiting()]) entry.endedBy('open');
  }

  /** Whether nothing has been answered or completed for so long that calls given up meanwhile are failures of the store. */
  get isStoreSilent(): boolean {
    return this.#clock.monotonicMs() - this.#shares.all.movedMs >= SILENT_STORE_MS;
  }

  get #waitingCount(): number {
    return this.#timed.size + this.#untimed.size;
  }

  /** The waiting calls and when they came; calls that stop waiting meanwhile are left out. */
  *#waiting(): Iterable<readonly [QueueEntry, number]> {
    yield* this.#timed.arrivals;
    yield* this.#untimed.arrivals;
  }

  #linesOf({ isTimed }: QueueEntry): WaitingLines {
    return isTimed ? this.#timed : this.#untimed;
  }

  /** Calls without a minimum rate may wait for long, so they get no more than half of the queue. */
  #isFull(lines: WaitingLines): boolean {
    const { queue } = this.#limits;
    return this.#waitingCount >= queue || (lines === this.#untimed && lines.size >= Math.ceil(queue / 2));
  }

  #startNext(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      for (let entry = this.#next(); entry; entry = this.#next()) {
        const lines = this.#linesOf(entry);
        lines.delete(entry);
        this.#turns = [...this.#turns.filter(kind => kind !== lines), lines];
        this.#start(entry);
      }
    } finally {
      this.#isStarting = false;
    }
  }

  /** The next waiting call that may start, if possible of a client that does not crowd. */
  #next(): QueueEntry | undefined {
    const { all } = this.#shares;
    if (all.running >= all.limit) return undefined;
    const mayStart = (entry: QueueEntry) => this.#shares.mayStart(entry);
    const isPreferred = (entry: QueueEntry) => !this.#slowReaders.isCrowding(entry.client) && mayStart(entry);
    const preferred = this.#slowReaders.areCrowding ? this.#nextThat(isPreferred) : undefined;
    return preferred ?? this.#nextThat(mayStart);
  }

  #nextThat(mayStart: (entry: QueueEntry) => boolean): QueueEntry | undefined {
    for (const lines of this.#turns) {
      const next = lines.next(mayStart);
      if (next) return next;
    }
    return undefined;
  }

  #start(entry: QueueEntry): void {
    if (!this.#isAsking()) this.#shares.all.movedMs = this.#clock.monotonicMs();
    this.#shares.start(entry);
    this.#running.add(entry);
    this.#watch();
    entry.start();
  }

  /** Whether a call in progress is still unanswered; one that only transfers says nothing about a silent store. */
  #isAsking(): boolean {
    for (const { isAnswered } of this.#running) if (!isAnswered) return true;
    return false;
  }

  /** Refuses the last call of the longest line, to make room for a call of a shorter line. */
  #makeRoom(lines: WaitingLines, newcomer: QueueEntry): boolean {
    const last = lines.lastOfLongest(newcomer);
    if (last) this.#end(last, 'full');
    return last !== undefined;
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
      if (!this.#wasLate && this.#waitingCount > 0) this.#endCalls();
      if (this.#waitingCount + this.#running.size > 0) this.#watch();
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
    for (const [entry, sinceMs] of this.#waiting()) {
      if (nowMs - sinceMs < queueWaitMs) continue;
      const isStuck = nowMs - this.#movedFor(entry) >= queueWaitMs;
      if (isStuck || nowMs - sinceMs >= queueTotalMs) this.#end(entry, 'waited');
    }
  }

  /** When the store last made progress that brings `entry` closer to its turn: in each share that is used up. */
  #movedFor(entry: QueueEntry): number {
    const usedUp = this.#shares.usedUp(entry);
    return Math.min(...[this.#shares.all, ...usedUp].map(({ movedMs }) => movedMs));
  }

  /** The shares that waiting calls lack room in, and since when each of these calls waits. */
  #crowded(): Map<Share, number[]> {
    const crowded = new Map<Share, number[]>();
    for (const [entry, sinceMs] of this.#waiting()) {
      const [narrowest] = this.#shares.usedUp(entry);
      if (!narrowest) continue;
      const since = crowded.get(narrowest);
      if (since) since.push(sinceMs);
      else crowded.set(narrowest, [sinceMs]);
    }
    return crowded;
  }

  #giveUpSilent(): void {
    const nowMs = this.#clock.monotonicMs();
    const overdueMs = nowMs - this.#limits.queueWaitMs / 2;
    // calls without a minimum rate are never given up for silence
    const crowded = [...this.#crowded()].filter(([{ isUntimed }]) => !isUntimed);
    const overdue = crowded.flatMap(([, since]) => since).filter(sinceMs => sinceMs <= overdueMs);
    if (overdue.length === 0) return;
    const { calls, count } = this.#silentCalls.toGiveUp(this.#running, overdue.length, nowMs);
    const inTheWay = calls.filter(entry => crowded.some(([share]) => this.#shares.of(entry).includes(share)));
    for (const entry of inTheWay.slice(0, count)) this.#end(entry, 'silent');
  }

  #giveUpPaused(): void {
    const running = Array.from(this.#running);
    const crowds = Array.from(this.#crowded(), ([share, { length }]) => ({
      calls: running.filter(entry => this.#shares.of(entry).includes(share)),
      waiting: length,
    }));
    for (const entry of this.#slowReaders.toGiveUp(crowds, this.#clock.monotonicMs()))
      this.#end(entry, 'paused');
  }

  #end(entry: QueueEntry, verdict: QueueVerdict): void {
    this.#refused(verdict);
    entry.endedBy(verdict);
  }
}
