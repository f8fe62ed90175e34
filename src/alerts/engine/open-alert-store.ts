import { z } from 'zod';
import type { Alert } from '../alert.ts';
import { alertRecord } from '../alert-record.ts';
import { inTransaction, type StateDatabase } from '../state-database.ts';

/** What is remembered of a firing alert over a restart. Times are the wall clock's. */
export interface StoredAlert {
  readonly alert: Alert;
  readonly tellings: number;
  readonly lastToldAtMs: number;
  /** When it began to fire, of late. */
  readonly firedAtMs: readonly number[];
}

const storedAlert: z.ZodType<StoredAlert> = z.object({
  alert: alertRecord,
  tellings: z.number(),
  lastToldAtMs: z.number(),
  firedAtMs: z.array(z.number()),
});

/** The firing alerts on disk: a restart neither tells them again nor forgets to tell when they are over. */
export class OpenAlertStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** What was firing when the gateway ended. A record this version cannot read is left out. */
  load(): readonly StoredAlert[] {
    return this.#database
      .prepare('SELECT record FROM open_alert')
      .all()
      .flatMap(({ record }) => {
        const parsed = storedAlert.safeParse(JSON.parse(String(record)));
        return parsed.success ? [parsed.data] : [];
      });
  }

  /** Makes `alerts` all that is remembered; of several with one fingerprint the first. */
  replace(alerts: readonly StoredAlert[]): void {
    inTransaction(this.#database, () => {
      this.#database.exec('DELETE FROM open_alert');
      const insert = this.#database.prepare(
        'INSERT OR IGNORE INTO open_alert (fingerprint, record) VALUES (?, ?)',
      );
      for (const stored of alerts) insert.run(stored.alert.fingerprint, JSON.stringify(stored));
    });
  }
}
