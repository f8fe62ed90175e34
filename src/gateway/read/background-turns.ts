import { FirstByteTimes } from '../../backend/silent-calls.ts';
import type { Clock } from '../../base/clock.ts';

/**
 * Questions at a time, to each store, that nobody waits for. They count for no client, so they must leave the connections to
 * those who wait.
 */
const BACKGROUND_LIMIT = 16;

/** Clients that wait for their turn, each with one question. */
const WAITING_LIMIT = 256;

/** While the store answers none, so many silent questions are given up for others, no more often than this. */
const TRIED_AT_A_TIME = 2;
const TRY_MS = 500;

/** What was asked in vain is left alone for this time at first, for twice as long after each further time. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const PAUSED_LIMIT = 1_000;

/** What has become of a question: the store has answered, or has hung, or there is no telling. */
export type Outcome = 'answered' | 'hung' | 'failed';

/** A question that nobody waits for. */
interface BackgroundQuestion {
  /** Whose read it is asked for. */
  readonly client: string;
  /** Names what it is about. */
  readonly name: string;
  /**
   * Asks it, perhaps later. Does not throw.
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

class StoreTurns {
  readonly running = new Set<Running>();
  /** By client, in the order of their turns. */
  readonly waiting = new Map<string, BackgroundQuestion>();
  readonly answers = new FirstByteTimes();
  triedMs = -Infinity;
}

/**
 * The questions of a worker that nobody waits for. Where there are more than places, clients take turns, and questions that are
 * silent for much longer than recent answers took make room: a store may hang for some objects only, which are then left alone
 * for a while.
 */
export class BackgroundTurns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #stores = new Map<string, StoreTurns>();
  /** Names of what was asked in vain, the oldest first. */
  readonly #paused = new Map<string, { readonly untilMs: number; readonly pauseMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Asks `question` now, when it is its client's turn, or not at all: the next reader may ask again. */
  ask(store: string, question: BackgroundQuestion): void {
    if (this.#isPaused(question.name)) return;
    const turns = this.#of(store);
    if (turns.running.size < BACKGROUND_LIMIT) {
      this.#begin(turns, question);
      return;
    }
    const { waiting } = turns;
    if (!waiting.has(question.client) && waiting.size < WAITING_LIMIT) waiting.set(question.client, question);
    this.#makeRoom(turns);
  }

  /**
   * Takes a place for a question that is under way already.
   *
   * @returns gives it back; undefined where there is none
   */
  take(store: string, name: string, giveUp: () => void): (() => void) | undefined {
    const turns = this.#of(store);
    if (this.#isPaused(name) || turns.running.size >= BACKGROUND_LIMIT) return undefined;
    const running = { name, sinceMs: this.#clock.monotonicMs(), giveUp };
    turns.running.add(running);
    return () => this.#ended(turns, running, 'failed');
  }

  #of(store: string): StoreTurns {
    const turns = this.#stores.get(store) ?? new StoreTurns();
    this.#stores.set(store, turns);
    return turns;
  }

  #begin(turns: StoreTurns, { name, begin }: BackgroundQuestion): void {
    const running = { name, sinceMs: this.#clock.monotonicMs(), giveUp: () => {} };
    turns.running.add(running);
    running.giveUp = begin(outcome => this.#ended(turns, running, outcome));
  }

  #ended(turns: StoreTurns, running: Running, outcome: Outcome): void {
    // what was given up has no place any more
    if (!turns.running.delete(running)) return;
    const nowMs = this.#clock.monotonicMs();
    if (outcome === 'hung') this.#pause(running.name);
    if (outcome === 'answered') {
      turns.answers.add(nowMs - running.sinceMs, nowMs);
      this.#paused.delete(running.name);
    }
    this.#beginNext(turns);
  }

  #beginNext(turns: StoreTurns): void {
    for (const [client, question] of turns.waiting) {
      if (turns.running.size >= BACKGROUND_LIMIT) return;
      turns.waiting.delete(client);
      if (!this.#isPaused(question.name)) this.#begin(turns, question);
    }
  }

  /** Gives up questions at which the store seems to hang, as `SilentCalls` does. */
  #makeRoom(turns: StoreTurns): void {
    const { answers, waiting } = turns;
    const nowMs = this.#clock.monotonicMs();
    const latestMs = nowMs - answers.silenceLimitMs(nowMs);
    const silent = [...turns.running].filter(({ sinceMs }) => sinceMs <= latestMs);
    const overtaken = silent.filter(({ sinceMs }) => answers.hasAnsweredSince(sinceMs));
    if (overtaken.length > 0) this.#giveUp(turns, overtaken.slice(0, waiting.size));
    else if (silent.length > 0 && nowMs - turns.triedMs >= TRY_MS) {
      turns.triedMs = nowMs;
      this.#giveUp(turns, silent.slice(0, TRIED_AT_A_TIME));
    }
  }

  #giveUp(turns: StoreTurns, questions: readonly Running[]): void {
    for (const question of questions) {
      turns.running.delete(question);
      this.#pause(question.name);
      question.giveUp();
    }
    this.#beginNext(turns);
  }

  #isPaused(name: string): boolean {
    return (this.#paused.get(name)?.untilMs ?? -Infinity) > this.#clock.monotonicMs();
  }

  #pause(name: string): void {
    const before = this.#paused.get(name)?.pauseMs;
    const pauseMs = before === undefined ? FIRST_PAUSE_MS : Math.min(2 * before, LONGEST_PAUSE_MS);
    this.#paused.delete(name);
    this.#paused.set(name, { untilMs: this.#clock.monotonicMs() + pauseMs, pauseMs });
    for (const oldest of this.#paused.keys()) {
      if (this.#paused.size <= PAUSED_LIMIT) break;
      this.#paused.delete(oldest);
    }
  }
}
