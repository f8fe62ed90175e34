import type { Socket } from 'node:net';
import { ClientQuota, clientOf } from '../base/client-quota.ts';
import type { ClientLimits } from './client-limits.ts';

/** Counts the open connections of a listener. */
export class ConnectionCounter {
  readonly #quota: ClientQuota;

  constructor({ connections, connectionsPerAddress }: ClientLimits) {
    this.#quota = new ClientQuota({ inAll: connections, perClient: connectionsPerAddress });
  }

  /** @returns false when the limit is reached; otherwise counts `socket` until it closes. */
  admit(socket: Socket): boolean {
    const client = clientOf(socket.remoteAddress);
    if (!this.#quota.take(client)) return false;
    socket.once('close', () => this.#quota.giveBack(client));
    return true;
  }
}
