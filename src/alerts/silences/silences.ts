import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Alert, Labels } from '../alert.ts';
import { inTransaction, type StateDatabase, type StateRow } from '../state-database.ts';
import { matches, type Silence, type SilenceRequest } from './silence.ts';

/** Runs a transaction that is on disk when this returns, or rolled back when it throws. */
type RunTransaction = <Result>(work: () => Result) => Result;

/**
 * The active silences. They are on disk before a request is answered, so they survive a restart. They end by the wall
 * clock, as people expect.
 */
export class Silences {
  readonly #database: StateDatabase;
  readonly #clock: Clock;
  readonly #saved: RunTransaction;
  #silences: readonly Silence[];

  constructor(
    database: StateDatabase,
    clock: Clock,
    saved: RunTransaction = work => inTransaction(database, work),
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#saved = saved;
    this.#silences = database.prepare('SELECT * FROM silence ORDER BY until_ms').all().map(silenceFromRow);
  }

  /** The active silences, the first to end first. */
  active(): readonly Silence[] {
    const nowMs = this.#clock.nowMs();
    if (this.#silences.some(({ untilMs }) => untilMs <= nowMs)) this.#forgetEnded(nowMs);
    return this.#silences;
  }

  /** Creates a silence. @throws the error of `saved` when it cannot be stored; it is not created then */
  add(request: SilenceRequest): Silence {
    const silence: Silence = { ...request, id: randomUUID(), createdAtMs: this.#clock.nowMs() };
    this.#saved(() => this.#insert(silence));
    this.#silences = [...this.#silences, silence].sort((a, b) => a.untilMs - b.untilMs);
    return silence;
  }

  /** Ends the silence with this id and returns it; undefined when there is none. */
  remove(id: string): Silence | undefined {
    const [removed] = this.#removeWhere(silence => silence.id === id);
    return removed;
  }

  /** Ends and returns all silences that match this alert. */
  removeMatching(alert: Alert): readonly Silence[] {
    return this.#removeWhere(silence => matches(silence, alert));
  }

  #insert({ id, rule, labels, untilMs, createdAtMs, by, why }: Silence): void {
    this.#database
      .prepare(
        'INSERT INTO silence (id, rule, labels, until_ms, created_at_ms, created_by, reason) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(id, rule ?? null, JSON.stringify(labels), untilMs, createdAtMs, by, why);
  }

  #removeWhere(ends: (silence: Silence) => boolean): readonly Silence[] {
    const removed = this.active().filter(ends);
    if (removed.length === 0) return removed;
    const statement = this.#database.prepare('DELETE FROM silence WHERE id = ?');
    this.#saved(() => {
      for (const { id } of removed) statement.run(id);
    });
    this.#silences = this.#silences.filter(silence => !removed.includes(silence));
    return removed;
  }

  #forgetEnded(nowMs: number): void {
    this.#database.prepare('DELETE FROM silence WHERE until_ms <= ?').run(nowMs);
    this.#silences = this.#silences.filter(({ untilMs }) => untilMs > nowMs);
  }
}

function silenceFromRow(row: StateRow): Silence {
  return {
    id: String(row.id),
    ...(row.rule === null ? {} : { rule: String(row.rule) }),
    labels: labelsFromJson(String(row.labels)),
    untilMs: Number(row.until_ms),
    createdAtMs: Number(row.created_at_ms),
    by: String(row.created_by),
    why: String(row.reason),
  };
}

function labelsFromJson(json: string): Labels {
  const parsed: Record<string, unknown> = JSON.parse(json);
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
}
