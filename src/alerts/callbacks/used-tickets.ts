import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { inTransaction, type StateDatabase } from '../state-database.ts';
import type { ActionTicket } from './action-ticket.ts';

const SECRET_BYTES = 32;

/**
 * The key that signs buttons. It is created once and stored with the state, so that cards from before a restart still
 * work.
 */
export function callbackSecret(database: StateDatabase): Uint8Array {
  return inTransaction(database, () => {
    database
      .prepare('INSERT INTO callback_key (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING')
      .run(randomBytes(SECRET_BYTES));
    const secret = database.prepare('SELECT secret FROM callback_key').get()?.secret;
    if (!(secret instanceof Uint8Array)) throw new TypeError('the state file holds no callback key');
    return secret;
  });
}

/** Records which tickets were used, across restarts too: each works once. */
export class UsedTickets {
  readonly #database: StateDatabase;
  readonly #clock: Clock;

  constructor(database: StateDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Marks a ticket as used; returns `used` if it was before. */
  claim({ nonce, expiresAtS }: ActionTicket): 'claimed' | 'used' {
    const nowS = Math.floor(this.#clock.nowMs() / 1_000);
    return inTransaction(this.#database, () => {
      this.#database.prepare('DELETE FROM used_ticket WHERE expires_at_s < ?').run(nowS);
      const { changes } = this.#database
        .prepare('INSERT INTO used_ticket (nonce, expires_at_s) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(nonce, expiresAtS);
      return Number(changes) === 1 ? 'claimed' : 'used';
    });
  }

  /** Makes a ticket usable again when its action changed nothing. */
  release({ nonce }: ActionTicket): void {
    this.#database.prepare('DELETE FROM used_ticket WHERE nonce = ?').run(nonce);
  }
}
