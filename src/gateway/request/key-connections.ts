import type { Socket } from 'node:net';
import { ClientQuota } from '../../base/client-quota.ts';

/** Counts the open connections of each access key. One on which several keys have signed counts for each of them. */
export class KeyConnections {
  readonly #quota: ClientQuota;
  readonly #keysOf = new WeakMap<Socket, Set<string>>();

  /** @param perKey the most connections of one key */
  constructor(perKey: number) {
    this.#quota = new ClientQuota(quotaOf(perKey));
  }

  /** Changes the limit; connections that are open beyond it stay. */
  limit(perKey: number): void {
    this.#quota.limit(quotaOf(perKey));
  }

  /**
   * Counts `socket`, on which `accessKeyId` has signed, until it is closed.
   *
   * @returns false beyond the limit; the connection then does not count for the key
   */
  take(socket: Socket, accessKeyId: string): boolean {
    const keys = this.#keysOf.get(socket) ?? this.#watch(socket);
    // one that is closed already does not tell of it again
    if (keys.has(accessKeyId) || socket.destroyed) return true;
    if (!this.#quota.take(accessKeyId)) return false;
    keys.add(accessKeyId);
    return true;
  }

  #watch(socket: Socket): Set<string> {
    const keys = new Set<string>();
    this.#keysOf.set(socket, keys);
    socket.once('close', () => {
      for (const key of keys) this.#quota.giveBack(key);
    });
    return keys;
  }
}

function quotaOf(perKey: number) {
  return { inAll: Infinity, perClient: perKey };
}
