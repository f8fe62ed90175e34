/** The number of connections that a client has open. */
type ConnectionsOf = (client: string) => number;

/** Connections that wait for a place: grouped by client, oldest first. */
export class ConnectionQueue<T> {
  readonly #byClient = new Map<string, Set<T>>();

  add(client: string, connection: T): void {
    const queue = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, queue.add(connection));
  }

  remove(client: string, connection: T): void {
    const queue = this.#byClient.get(client);
    if (!queue?.delete(connection)) return;
    if (queue.size === 0) this.#byClient.delete(client);
  }

  waitingOf(client: string): number {
    return this.#byClient.get(client)?.size ?? 0;
  }

  /** The client of each waiting connection. */
  *clients(): Generator<string> {
    for (const [client, queue] of this.#byClient) for (const _ of queue) yield client;
  }

  *connections(): Generator<T> {
    for (const queue of this.#byClient.values()) yield* queue;
  }

  /** The next connection to serve: the oldest of the client with the fewest open connections. */
  next(heldBy: ConnectionsOf): T | undefined {
    let least = Number.POSITIVE_INFINITY;
    let [turn]: readonly T[] = [];
    for (const [client, queue] of this.#byClient) {
      const held = heldBy(client);
      if (held >= least) continue;
      least = held;
      [turn] = queue;
      if (held === 0) break;
    }
    return turn;
  }

  /**
   * The waiting connection to drop in favour of a new one of `client`: the oldest of the client with the most
   * connections, waiting or open. Undefined when no client has more than `client` would have. The oldest is chosen
   * since it would be the first to reach the time limit.
   */
  toDisplaceFor(client: string, heldBy: ConnectionsOf): T | undefined {
    let most = heldBy(client) + this.waitingOf(client) + 1;
    let [displaced]: readonly T[] = [];
    for (const [other, queue] of this.#byClient) {
      const total = heldBy(other) + queue.size;
      if (total <= most) continue;
      most = total;
      [displaced] = queue;
    }
    return displaced;
  }
}
