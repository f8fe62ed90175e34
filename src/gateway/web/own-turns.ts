import type { Clock } from '../../base/clock.ts';

/** Questions of one name at a time that readers ask each for itself, first. */
export const TURNS = 8;

interface Waiting {
  readonly begin: () => void;
  /** Until it asks without a turn. */
  readonly cancel: () => void;
}

interface Line {
  running: number;
  /** So many may be: one more with each answer that was for its reader alone. */
  turns: number;
  readonly waiting: Set<Waiting>;
  /** Whether those whose turn it is are being begun. */
  isBeginning: boolean;
}

/**
 * Readers that have to ask each for itself although nothing is known of what it gets: what one gets says nothing of others, and
 * the answer to one of them may be for all who are still in line. The more get one for themselves alone, the more ask at a time.
 */
export class OwnTurns {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #lines = new Map<string, Line>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /**
   * @param begin called once, now or when it is the reader's turn, after `patienceMs` at the latest; what it gets is to be called when
   *   its question is over, and whether it was an answer for its reader alone. Does not throw
   * @returns leaves the line
   */
  take(name: string, patienceMs: number, begin: (over: (isOwn: boolean) => void) => void): () => void {
    const line = this.#lines.get(name) ?? {
      ...{ running: 0, turns: TURNS, waiting: new Set<Waiting>(), isBeginning: false },
    };
    this.#lines.set(name, line);
    const start = () => {
      if (!line.waiting.delete(waiting)) return;
      timer.cancel();
      line.running++;
      let isOver = false;
      begin(isOwn => {
        if (isOver) return;
        isOver = true;
        line.running--;
        if (isOwn) line.turns++;
        this.#next(name, line);
      });
    };
    const timer = this.#clock.after(patienceMs, start);
    const waiting = { begin: start, cancel: () => timer.cancel() };
    line.waiting.add(waiting);
    this.#next(name, line);
    return () => {
      waiting.cancel();
      line.waiting.delete(waiting);
      this.#next(name, line);
    };
  }

  #next(name: string, line: Line): void {
    // one whose question is over at once makes room in this loop
    if (line.isBeginning) return;
    line.isBeginning = true;
    for (const { begin } of line.waiting) {
      if (line.running >= line.turns) break;
      begin();
    }
    line.isBeginning = false;
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(name);
  }
}
