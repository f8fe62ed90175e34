import type { Clock } from '../base/clock.ts';

/** What a store may be asked at the same time, and how much may wait for that. */
export interface CallLimits {
  /** Calls under way. */
  readonly connections: number;
  /** Calls that wait. */
  readonly queue: number;
  /** So long a call waits. */
  readonly queueWaitMs: number;
}

/** Why a call is refused or given up. */
export type QueueVerdict =
  /** Too many wait already. */
  | 'full'
  /** It has waited for as long as any may. */
  | 'waited'
  /** Others wait, and it has brought no answer for longer than answers of this store take. */
  | 'silent'
  /** Others wait, and whoever asked takes nothing of its answer. */
  | 'paused';

/** A call that waits or is under way. */
export interface QueueEntry {
  /** What it is about: calls about one object wait in one line. */
  readonly object: string;
  readonly isAnswered: boolean;
  /** When it began to wait for an answer that may be given up; undefined when it does not. */
  readonly silentSinceMs: number | undefined;
  /** Since when nothing of its answer is taken; undefined when it is. */
  readonly pausedSinceMs: number | undefined;
  start(): void;
  /** It is not to go on, and leaves the queue. */
  endedBy(verdict: QueueVerdict): void;
}

/** The calls about one object. */
interface Line {
  running: number;
  readonly waiting: QueueEntry[];
}

/** Watches the queue while anybody waits. */
const watchMs = 50;

/** No call is silent for too long before this. */
const silenceFloorMs = 250;

/** What the first byte is expected to take, and to vary by, until the store has shown it. */
const usualFirstByteMs = 50;

/** A connection is kept so long for somebody who takes nothing, when others wait for it. */
const pauseLimitMs = 5_000;

/**
 * Decides which calls to a store are under way. Waiting calls take turns by object, and no object has more than half of
 * the connections, so that many calls about one object leave room for the others.
 *
 * A store may answer for some objects and hang for others, and nothing tells which before it has been asked. So while
 * calls wait, those that hang for longer than the store usually takes keep no more than an eighth of the connections:
 * the oldest of them are given up. A store that is slow for all objects raises what is usual, and loses no call by it.
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
  #firstByteMs = usualFirstByteMs;
  #deviationMs = usualFirstByteMs;
  #isWatching = false;
  #isStarting = false;

  constructor(limits: CallLimits, clock: Clock, refused: (verdict: QueueVerdict) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#refused = refused;
    this.#objectShare = Math.ceil(limits.connections / 2);
    this.#silentShare = Math.max(1, Math.floor(limits.connections / 8));
  }

  /** How many calls there are, by what they are doing. */
  counts(): Record<'waiting' | 'unanswered' | 'transferring' | 'paused', number> {
    const counts = { waiting: this.#waiting.size, unanswered: 0, transferring: 0, paused: 0 };
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
    if (this.#running.delete(entry)) line.running--;
    else if (!this.#stopWaiting(entry, line)) return;
    this.#forget(entry.object, line);
    this.#startNext();
  }

  /** The store has answered a call after `durationMs`; what is usual follows as for retransmissions (RFC 6298 §2). */
  answered(durationMs: number): void {
    const differenceMs = durationMs - this.#firstByteMs;
    this.#firstByteMs += differenceMs / 8;
    this.#deviationMs += (Math.abs(differenceMs) - this.#deviationMs) / 4;
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
    this.#clock.after(watchMs, () => {
      this.#isWatching = false;
      this.#endWaits();
      this.#giveUpSilent();
      this.#giveUpPaused();
      if (this.#waiting.size > 0) this.#watch();
    });
  }

  #endWaits(): void {
    const untilMs = this.#clock.monotonicMs() - this.#limits.queueWaitMs;
    for (const [entry, sinceMs] of this.#waiting) {
      if (sinceMs > untilMs) return;
      this.#end(entry, 'waited');
    }
  }

  #giveUpSilent(): void {
    const limitMs = Math.max(silenceFloorMs, this.#firstByteMs + 4 * this.#deviationMs);
    const untilMs = this.#clock.monotonicMs() - limitMs;
    const silent = Array.from(this.#running).filter(
      ({ silentSinceMs = Infinity }) => silentSinceMs <= untilMs,
    );
    this.#giveUp(silent.slice(0, Math.max(0, silent.length - this.#silentShare)), 'silent');
  }

  #giveUpPaused(): void {
    const untilMs = this.#clock.monotonicMs() - pauseLimitMs;
    const paused = Array.from(this.#running).filter(
      ({ pausedSinceMs = Infinity }) => pausedSinceMs <= untilMs,
    );
    this.#giveUp(paused, 'paused');
  }

  /** As many of `entries` as there are calls that wait; while connections are free, only of objects that use up their share. */
  #giveUp(entries: readonly QueueEntry[], verdict: QueueVerdict): void {
    const isFull = this.#running.size >= this.#limits.connections;
    const inTheWay = isFull ? entries : entries.filter(({ object }) => this.#turns.has(object));
    for (const entry of inTheWay.slice(0, this.#waiting.size)) this.#end(entry, verdict);
  }

  #end(entry: QueueEntry, verdict: QueueVerdict): void {
    this.#refused(verdict);
    entry.endedBy(verdict);
  }

  #lineOf(object: string): Line {
    const known = this.#lines.get(object);
    if (known) return known;
    const line: Line = { running: 0, waiting: [] };
    this.#lines.set(object, line);
    return line;
  }

  #forget(object: string, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(object);
  }
}
