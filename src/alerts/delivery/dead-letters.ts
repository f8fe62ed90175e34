import type { Notification } from '../alert.ts';
import { inTransaction, type StateDatabase, type StateRow } from '../state-database.ts';
import { parseNotification } from './notification-record.ts';

/** A card that is posted again only on request. */
export interface DeadLetter {
  readonly id: number;
  readonly channel: string;
  readonly notification: Notification;
  /** The number of posts that were tried. */
  readonly attempts: number;
  readonly queuedAtMs: number;
  readonly diedAtMs: number;
  /** Why it was given up; nothing that the service wrote. */
  readonly reason: string;
}

/** The cards of the outbox that were given up. It drops the oldest beyond a thousand. */
export class DeadLetters {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /** The latest `limit` dead letters, latest first. */
  list(limit: number): readonly DeadLetter[] {
    return this.#database
      .prepare(`SELECT * FROM card WHERE state = 'dead' ORDER BY settled_at_ms DESC, id DESC LIMIT ?`)
      .all(limit)
      .flatMap(row => asDeadLetter(row) ?? []);
  }

  /** The ids of all dead letters, oldest first. */
  ids(): readonly number[] {
    return this.#database
      .prepare(`SELECT id FROM card WHERE state = 'dead' ORDER BY id`)
      .all()
      .map(({ id }) => Number(id));
  }

  /**
   * Queues a dead letter again, unchanged and as a card of its own. Where its channel is not among `channels` any
   * more, `route` gives those that take it instead. Returns the channels; none when no webhook takes it, or when there
   * is no such dead letter.
   */
  revive(
    id: number,
    channels: readonly string[],
    route: (notification: Notification) => readonly string[],
    nowMs: number,
  ): readonly string[] {
    return inTransaction(this.#database, () => {
      const row = this.#database.prepare(`SELECT * FROM card WHERE id = ? AND state = 'dead'`).get(id);
      const letter = row && asDeadLetter(row);
      if (!letter) return [];
      if (channels.includes(letter.channel)) {
        this.#requeue(id, letter.channel, nowMs);
        return [letter.channel];
      }
      const [channel] = route(letter.notification).filter(target => !this.#hasHad(target, letter));
      if (channel === undefined) return [];
      this.#requeue(id, channel, nowMs);
      return [channel];
    });
  }

  #requeue(id: number, channel: string, nowMs: number): void {
    this.#database
      .prepare(
        `UPDATE card SET state = 'waiting', channel = ?, queued_at_ms = ?, settled_at_ms = NULL, attempts = 0,
         alone = 1, shrunk = 0, reason = NULL WHERE id = ?`,
      )
      .run(channel, nowMs, id);
  }

  #hasHad(channel: string, { notification }: DeadLetter): boolean {
    const found = this.#database
      .prepare('SELECT 1 FROM card WHERE channel = ? AND dedupe_key = ?')
      .get(channel, notification.dedupeKey);
    return found !== undefined;
  }
}

/** Undefined for one that this version cannot read. */
function asDeadLetter(row: StateRow): DeadLetter | undefined {
  try {
    return {
      id: Number(row.id),
      channel: String(row.channel),
      notification: parseNotification(String(row.notification)),
      attempts: Number(row.attempts),
      queuedAtMs: Number(row.queued_at_ms),
      diedAtMs: Number(row.settled_at_ms),
      reason: String(row.reason),
    };
  } catch {
    return undefined;
  }
}
