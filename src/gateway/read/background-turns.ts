import { FirstByteTimes } from '../../backend/silent-calls.ts';
import type { Clock } from '../../base/clock.ts';
import { FairLine } from './fair-line.ts';

/**
 * Questions at a time, to each store, that nobody waits for. They count for no client, so they must leave the connections to
 * those who wait.
 */
const BACKGROUND_LIMIT = 16;

/** The same for what was asked in vain before, which keeps nothing else waiting so, and how long it may be silent at least. */
const DOUBTFUL_LIMIT = 4;
const DOUBTFUL_SILENCE_MS = 5_000;

/** Names that are known to have been asked in vain. */
const DOUBTED_LIMIT = 4_096;

/** While the store answers none, so many silent questions are given up for others, no more often than this. */
const TRIED_AT_A_TIME = 2;
const TRY_MS = 500;

/** What has become of a question: the store has answered, or has hung, or there is no telling. */
export type Outcome = 'answered' | 'hung' | 'failed';

/** A question that nobody waits for. */
interface BackgroundQuestion {
  /** Whose read it is asked for. */
  readonly client: string;
  /** Names what it is about. */
  readonly name: string;
  /** Whether there is still reason to ask, now that it is its turn. Does not throw. */
  isStillDue(): boolean;
  /**
   * Asks it. Does not throw.
   *
   * @param ended called once
   * @returns gives it up
   */
  begin(ended: (outcome: Outcome) => void): () => void;
}

interface Running {
  readonly name: string;
  readonly sinceMs: number;
  giveUp: () => void;
}

/** Places at a store, and what waits for them. */
class Lane {
  readonly limit: number;
  /** A question is silent for so long before it may be given up. */
  readonly leastSilenceMs: number;
  readonly running = new Set<Running>();
  readonly waiting = new FairLine<BackgroundQuestion>();
  /** When silent questions were last given up though the store had answered none. */
  triedMs = -Infinity;
  /** Whether those whose turn it is are being begun. */
  isBeginning = false;

  constructor(limit: number, leastSilenceMs: number) {
    this.limit = limit;
    this.leastSilenceMs = leastSilenceMs;
  }

  get hasRoom(): boolean {
    return this.running.size < this.limit;
  }
}

class StoreTurns {
  readonly plain = new Lane(BACKGROUND_LIMIT, 0);
  readonly doubtful = new Lane(DOUBTFUL_LIMIT, DOUBTFUL_SILENCE_MS);
  readonly answers = new FirstByteTimes();
}

/**
 * The questions of a worker that nobody waits for. Where there are more than places, clients take turns, and questions that are
 * silent for much longer than recent answers took make room. A store may hang for some objects only: those share a few places
 * apart, until they are answered.
 */
export class BackgroundTurns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #stores = new Map<string, StoreTurns>();
  /** Names of what was asked in vain, the oldest first. */
  readonly #doubted = new Set<string>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Asks `question` now, or when it is its turn. With too many that wait it is forgotten: the next reader may ask again. */
  ask(store: string, question: BackgroundQuestion): void {
    const turns = this.#of(store);
    const lane = this.#doubted.has(question.name) ? turns.doubtful : turns.plain;
    if (lane.hasRoom) {
      this.#begin(turns, lane, question);
      return;
    }
    lane.waiting.add(question);
    this.#makeRoom(turns, lane);
  }

  /**
   * Takes a place for a question that is under way already.
   *
   * @returns gives it back; undefined where there is none
   */
  take(store: string, name: string, giveUp: () => void): (() => void) | undefined {
    const turns = this.#of(store);
    if (this.#doubted.has(name) || !turns.plain.hasRoom) return undefined;
    const running = { name, sinceMs: this.#clock.monotonicMs(), giveUp };
    turns.plain.running.add(running);
    return () => this.#ended(turns, turns.plain, running, 'failed');
  }

  #of(store: string): StoreTurns {
    const turns = this.#stores.get(store) ?? new StoreTurns();
    this.#stores.set(store, turns);
    return turns;
  }

  #begin(turns: StoreTurns, lane: Lane, question: BackgroundQuestion): void {
    const { name } = question;
    const running = { name, sinceMs: this.#clock.monotonicMs(), giveUp: () => {} };
    lane.running.add(running);
    running.giveUp = question.begin(outcome => this.#ended(turns, lane, running, outcome));
  }

  /** What was given up has no place any more, but may have been answered nevertheless. */
  #ended(turns: StoreTurns, lane: Lane, running: Running, outcome: Outcome): void {
    const nowMs = this.#clock.monotonicMs();
    if (outcome === 'hung') this.#doubt(running.name);
    if (outcome === 'answered') {
      turns.answers.add(nowMs - running.sinceMs, nowMs);
      this.#doubted.delete(running.name);
    }
    if (lane.running.delete(running)) this.#beginNext(turns, lane);
  }

  #beginNext(turns: StoreTurns, lane: Lane): void {
    // one that ends at once makes room in this loop
    if (lane.isBeginning) return;
    lane.isBeginning = true;
    while (lane.hasRoom) {
      const question = lane.waiting.take();
      if (!question) break;
      if (question.isStillDue()) this.#begin(turns, lane, question);
    }
    lane.isBeginning = false;
  }

  /** Gives up questions at which the store seems to hang, as `SilentCalls` does. */
  #makeRoom(turns: StoreTurns, lane: Lane): void {
    const { answers } = turns;
    const wanted = lane.waiting.size;
    const nowMs = this.#clock.monotonicMs();
    const latestMs = nowMs - Math.max(lane.leastSilenceMs, answers.silenceLimitMs(nowMs));
    const silent = [...lane.running].filter(({ sinceMs }) => sinceMs <= latestMs);
    const overtaken = silent.filter(({ sinceMs }) => answers.hasAnsweredSince(sinceMs));
    if (overtaken.length > 0) this.#giveUp(turns, lane, overtaken.slice(0, wanted));
    else if (silent.length > 0 && nowMs - lane.triedMs >= TRY_MS) {
      lane.triedMs = nowMs;
      this.#giveUp(turns, lane, silent.slice(0, Math.min(wanted, TRIED_AT_A_TIME)));
    }
  }

  #giveUp(turns: StoreTurns, lane: Lane, questions: readonly Running[]): void {
    for (const question of questions) {
      lane.running.delete(question);
      this.#doubt(question.name);
      question.giveUp();
    }
    this.#beginNext(turns, lane);
  }

  #doubt(name: string): void {
    this.#doubted.delete(name);
    this.#doubted.add(name);
    for (const oldest of this.#doubted) {
      if (this.#doubted.size <= DOUBTED_LIMIT) break;
      this.#doubted.delete(oldest);
    }
  }
}
