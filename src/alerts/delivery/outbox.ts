import type { Notification } from '../alert.ts';
import { inTransaction, type StateDatabase, type StateRow } from '../state-database.ts';
import { parseNotification } from './notification-record.ts';
import type { ClockMark } from './steady-clock.ts';

/** A notification queued for one channel. */
export interface WaitingCard {
  readonly id: number;
  readonly notification: Notification;
  readonly critical: boolean;
  /** The number of posts started so far. */
  readonly attempts: number;
  /** The service refused an earlier card as too large. */
  readonly shrunk: boolean;
}

/** The result of one attempt for its cards. */
export type Settlement =
  | { readonly kind: 'delivered' }
  /** They stay queued and are tried again unchanged. */
  | { readonly kind: 'kept' }
  /** They stay queued but are posted separately: the digest was refused. */
  | { readonly kind: 'parted' }
  /** It stays queued and is posted in a shorter form. */
  | { readonly kind: 'shrunk' }
  | { readonly kind: 'dead'; readonly reason: string };

/** After this many attempts a card moves behind those with fewer, so that one bad card blocks no others. */
export const ATTEMPTS_PER_ROUND = 5;
const MAX_FOLDED = 40;
const REMEMBERED_MS = 86_400_000;
const MAX_DEAD = 1_000;

/** The limit per channel. Beyond it cards are dropped, the oldest non-critical ones first. */
const MAX_WAITING = 5_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * The queued cards of a channel that may be posted now. A resolved notice waits until the alert that it resolves has
 * been posted, if that is among the `earlier` cards considered.
 */
const eligible = (earlier: string) => `state = 'waiting' AND channel = ? AND NOT (
  kind = 'resolved' AND EXISTS (SELECT 1 FROM card AS earlier WHERE earlier.channel = card.channel
  AND earlier.state = 'waiting' AND earlier.rule = card.rule AND earlier.kind <> 'resolved'
  AND earlier.id < card.id AND ${earlier}))`;

const NEXT = `SELECT * FROM card WHERE ${eligible('true')} AND critical = ?
  ORDER BY attempts / ${ATTEMPTS_PER_ROUND}, id LIMIT 1`;

const FOLDABLE = `SELECT * FROM card WHERE ${eligible('(earlier.critical = 1 OR earlier.alone = 1)')}
  AND critical = 0 AND alone = 0 ORDER BY id LIMIT ${MAX_FOLDED}`;

/**
 * Queued, recently delivered and dead cards, and the slots used in each channel's rate windows. Every writing method is
 * one transaction, on disk when it returns, so a crash between two calls loses nothing.
 */
export class Outbox {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /**
   * Queues `notification` for each channel that has not had its key yet. Returns how many were queued, and how many
   * queued cards were dropped to make room.
   */
  enqueue(
    channels: readonly string[],
    notification: Notification,
    nowMs: number,
  ): { readonly added: number; readonly dropped: number } {
    return inTransaction(this.#database, () => {
      let [added, dropped] = [0, 0];
      for (const channel of channels) {
        added += this.#insert(channel, notification, nowMs);
        dropped += this.#dropSurplus(channel, nowMs);
      }
      return { added, dropped };
    });
  }

  /** The next card to post, among critical or other ones. */
  next(channel: string, critical: boolean): WaitingCard | undefined {
    const row = this.#database.prepare(NEXT).get(channel, Number(critical));
    return row && asWaitingCard(row);
  }

  /** The cards that may be combined into a digest, oldest first, at most 40. */
  foldable(channel: string): readonly WaitingCard[] {
    return this.#database.prepare(FOLDABLE).all(channel).map(asWaitingCard);
  }

  /** The number of cards queued for a channel, and when the oldest was queued. */
  waiting(channel: string): {
    readonly count: number;
    readonly ordinary: number;
    readonly oldestMs?: number;
  } {
    const row = this.#database
      .prepare(
        `SELECT count(*) AS count, count(*) - total(critical) AS ordinary, min(queued_at_ms) AS oldest
         FROM card WHERE state = 'waiting' AND channel = ?`,
      )
      .get(channel);
    const oldest = row?.oldest;
    const counts = { count: Number(row?.count), ordinary: Number(row?.ordinary) };
    return typeof oldest === 'number' ? { ...counts, oldestMs: oldest } : counts;
  }

  /** Takes a slot for one post of `ids`, counts the attempt and returns the slot. */
  beginAttempt(channel: string, ids: readonly number[], taken: ClockMark): number {
    return inTransaction(this.#database, () => {
      this.#writeMark(taken);
      const count = this.#database.prepare('UPDATE card SET attempts = attempts + 1 WHERE id = ?');
      for (const id of ids) count.run(id);
      const take = this.#database.prepare('INSERT INTO slot (channel, taken_at_ms) VALUES (?, ?)');
      return Number(take.run(channel, taken.steadyMs).lastInsertRowid);
    });
  }

  /** Stores when the reply arrived and what it means for the cards. */
  endAttempt(slot: number, ids: readonly number[], replied: ClockMark, settlement: Settlement): void {
    inTransaction(this.#database, () => {
      this.#writeMark(replied);
      this.#database.prepare('UPDATE slot SET replied_at_ms = ? WHERE id = ?').run(replied.steadyMs, slot);
      for (const id of ids) this.#settle(id, replied.wallMs, settlement);
      this.#deleteOld(replied);
    });
  }

  /** Marks a card as dead that cannot be rendered and was never posted. */
  markDead(id: number, nowMs: number, reason: string): void {
    inTransaction(this.#database, () => this.#settle(id, nowMs, { kind: 'dead', reason }));
  }

  /**
   * When replies arrived, oldest first. Slots that were open when the process died count as replied at `nowMs`, since
   * it is unknown when the service counted those posts.
   */
  recoverReplies(channel: string, nowMs: number): number[] {
    this.#database
      .prepare('UPDATE slot SET replied_at_ms = ? WHERE channel = ? AND replied_at_ms IS NULL')
      .run(nowMs, channel);
    return this.#database
      .prepare('SELECT replied_at_ms AS at FROM slot WHERE channel = ? ORDER BY replied_at_ms')
      .all(channel)
      .map(row => Number(row.at));
  }

  /** Stores a time from which the slots' clock continues after a restart. */
  mark(now: ClockMark): void {
    inTransaction(this.#database, () => this.#writeMark(now));
  }

  /** The latest stored time. */
  latestMark(): ClockMark | undefined {
    const row = this.#database.prepare('SELECT steady_ms, wall_ms FROM slot_clock').get();
    return row && { steadyMs: Number(row.steady_ms), wallMs: Number(row.wall_ms) };
  }

  /**
   * After a configuration change, moves cards of channels other than `channels` to those that `route` gives, and marks
   * as dead those without any. Returns how many were moved and how many died.
   */
  adoptStrays(
    channels: readonly string[],
    route: (notification: Notification) => readonly string[],
    nowMs: number,
  ): { readonly moved: number; readonly died: number } {
    const strays = `state = 'waiting' AND channel NOT IN (${channels.map(() => '?').join(', ')})`;
    return inTransaction(this.#database, () => {
      const rows = this.#database.prepare(`SELECT * FROM card WHERE ${strays} ORDER BY id`).all(...channels);
      let died = 0;
      const forget = this.#database.prepare('DELETE FROM card WHERE id = ?');
      for (const { id, notification } of rows.map(asWaitingCard)) {
        const targets = route(notification);
        for (const channel of targets) this.#insert(channel, notification, nowMs);
        if (targets.length > 0) {
          forget.run(id);
          continue;
        }
        died++;
        this.#settle(id, nowMs, { kind: 'dead', reason: 'no webhook takes it any more' });
      }
      return { moved: rows.length - died, died };
    });
  }

  /** The number of dead cards of a channel. */
  deadCount(channel: string): number {
    const dead = `SELECT count(*) AS count FROM card WHERE state = 'dead' AND channel = ?`;
    return Number(this.#database.prepare(dead).get(channel)?.count);
  }

  #insert(channel: string, notification: Notification, nowMs: number): number {
    const { dedupeKey, kind, alerts, severity } = notification;
    const critical = severity === 'critical' && kind !== 'resolved';
    const insert = this.#database.prepare(
      `INSERT INTO card (channel, dedupe_key, rule, kind, critical, notification, queued_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    const rule = alerts[0]?.rule ?? '';
    const json = JSON.stringify(notification);
    return Number(insert.run(channel, dedupeKey, rule, kind, Number(critical), json, nowMs).changes);
  }

  #dropSurplus(channel: string, nowMs: number): number {
    const ofWaiting = `FROM card WHERE state = 'waiting' AND channel = ?`;
    const all = this.#database
      .prepare(`SELECT count(*) AS count, total(length(notification)) AS bytes ${ofWaiting}`)
      .get(channel);
    let [count, bytes] = [Number(all?.count), Number(all?.bytes)];
    const isFull = () => count > MAX_WAITING || bytes > MAX_WAITING_BYTES;
    if (!isFull()) return 0;
    const oldest = this.#database
      .prepare(`SELECT id, length(notification) AS bytes ${ofWaiting} ORDER BY critical, id`)
      .all(channel);
    let dropped = 0;
    for (const row of oldest) {
      if (!isFull()) break;
      this.#settle(Number(row.id), nowMs, { kind: 'dead', reason: 'too many cards waited' });
      count--;
      bytes -= Number(row.bytes);
      dropped++;
    }
    this.#forgetDead();
    return dropped;
  }

  #settle(id: number, nowMs: number, settlement: Settlement): void {
    const update = (assignments: string, ...values: readonly (string | number)[]) => {
      this.#database.prepare(`UPDATE card SET ${assignments} WHERE id = ?`).run(...values, id);
    };
    switch (settlement.kind) {
      case 'kept':
        return;
      case 'parted':
        update('alone = 1');
        return;
      case 'shrunk':
        update('alone = 1, shrunk = 1');
        return;
      case 'delivered':
        update(`state = 'delivered', settled_at_ms = ?`, nowMs);
        return;
      case 'dead':
        update(`state = 'dead', settled_at_ms = ?, reason = ?`, nowMs, settlement.reason);
        return;
    }
  }

  #writeMark({ steadyMs, wallMs }: ClockMark): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO slot_clock (id, steady_ms, wall_ms) VALUES (1, ?, ?)')
      .run(steadyMs, wallMs);
  }

  /** Deletes slots and keys of delivered cards that are older than a day. */
  #deleteOld({ steadyMs, wallMs }: ClockMark): void {
    this.#database.prepare('DELETE FROM slot WHERE replied_at_ms < ?').run(steadyMs - REMEMBERED_MS);
    this.#database
      .prepare(`DELETE FROM card WHERE state = 'delivered' AND settled_at_ms < ?`)
      .run(wallMs - REMEMBERED_MS);
    this.#forgetDead();
  }

  #forgetDead(): void {
    this.#database
      .prepare(
        `DELETE FROM card WHERE state = 'dead' AND id NOT IN
         (SELECT id FROM card WHERE state = 'dead' ORDER BY id DESC LIMIT ${MAX_DEAD})`,
      )
      .run();
  }
}

function asWaitingCard(row: StateRow): WaitingCard {
  return {
    id: Number(row.id),
    notification: parseNotification(String(row.notification)),
    critical: row.critical === 1,
    attempts: Number(row.attempts),
    shrunk: row.shrunk === 1,
  };
}
