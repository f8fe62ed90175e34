import { z } from 'zod';
import type { Alert, Fact, Notification } from '../alert.ts';
import type { StateDatabase } from '../state-database.ts';

/** An action taken with a button. */
export interface LoggedAction {
  readonly atMs: number;
  /** The display name of the person, and the directory identity. */
  readonly by: string;
  readonly subject: string;
  readonly action: 'acknowledge' | 'silence' | 'unsilence' | 'restore' | 'purge';
  readonly alertIds: readonly string[];
  readonly outcome: string;
}

const MAX_ACTS = 200;

const cardAct: z.ZodType<LoggedAction> = z.object({
  atMs: z.number(),
  by: z.string(),
  subject: z.string(),
  action: z.enum(['acknowledge', 'silence', 'unsilence', 'restore', 'purge']),
  alertIds: z.array(z.string()),
  outcome: z.string(),
});

/** The latest 200 actions, stored on disk. */
export class ActionLog {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  add(act: LoggedAction): void {
    this.#database.prepare('INSERT INTO card_act (record) VALUES (?)').run(JSON.stringify(act));
    this.#database
      .prepare('DELETE FROM card_act WHERE id <= (SELECT max(id) FROM card_act) - ?')
      .run(MAX_ACTS);
  }

  /** Newest first. */
  recent(limit: number = MAX_ACTS): readonly LoggedAction[] {
    return this.#database
      .prepare('SELECT record FROM card_act ORDER BY id DESC LIMIT ?')
      .all(limit)
      .map(({ record }) => cardAct.parse(JSON.parse(String(record))));
  }
}

/**
 * Adds the actions taken on its objects to a notification, for the next card. Acknowledgements and silences are not
 * added, since the alert contains those itself.
 */
export function withActions(notification: Notification, acts: readonly LoggedAction[]): Notification {
  const told = acts.filter(({ action }) => action === 'restore' || action === 'purge');
  if (told.length === 0) return notification;
  return { ...notification, alerts: notification.alerts.map(alert => withActsOf(alert, told)) };
}

function withActsOf(alert: Alert, acts: readonly LoggedAction[]): Alert {
  const facts: readonly Fact[] = acts
    .filter(({ alertIds }) => alertIds.includes(alert.id))
    .map(({ action, by, outcome, atMs }) => ({
      name: action === 'restore' ? 'Restore' : 'Purge',
      value: `${outcome} (${by}, ${new Date(atMs).toISOString()})`,
    }));
  return facts.length === 0 ? alert : { ...alert, facts: [...alert.facts, ...facts] };
}
