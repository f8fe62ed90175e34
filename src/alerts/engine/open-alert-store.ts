import { z } from 'zod';
import type { Alert } from '../alert.ts';
import { alertRecord } from '../alert-record.ts';
import { inTransaction, type StateDatabase } from '../state-database.ts';

/** A firing alert as stored for a restart. Times are wall-clock times. */
export interface StoredAlert {
  readonly alert: Alert;
  readonly tellings: number;
  readonly lastToldAtMs: number;
  /** When it started to fire recently. */
  readonly firedAtMs: readonly number[];
}

const storedAlert: z.ZodType<StoredAlert> = z.object({
  alert: alertRecord,
  tellings: z.number(),
  lastToldAtMs: z.number(),
  firedAtMs: z.array(z.number()),
});

/** Stores firing alerts on disk, so that a restart neither repeats their notifications nor misses their resolution. */
export class OpenAlertStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** The alerts that were firing when the gateway ended. Records that this version cannot read are skipped. */
  load(): readonly StoredAlert[] {
    return this.#database
      .prepare('SELECT record FROM open_alert')
      .all()
      .flatMap(({ record }) => {
        const parsed = storedAlert.safeParse(JSON.parse(String(record)));
        return parsed.success ? [parsed.data] : [];
      });
  }

  /** Replaces the stored alerts; of several with one fingerprint, the first is kept. */
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
