/** How many places a client has. */
export type ConnectionsOf = (client: string) => number;

/** ConnectionCounter that wait for a place, in the order in which they came, by client. */
export class ConnectionQueue<T> {
  readonly #byClient = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(client: string, connection: T): void {
    const queue = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, queue.add(connection));
    this.#size++;
  }

  remove(client: string, connection: T): void {
    const queue = this.#byClient.get(client);
    if (!queue?.delete(connection)) return;
    this.#size--;
    if (queue.size === 0) this.#byClient.delete(client);
  }

  waitingOf(client: string): number {
    return this.#byClient.get(client)?.size ?? 0;
  }

  /** The client of each connection. */
  *clients(): Generator<string> {
    for (const [client, queue] of this.#byClient) for (const _ of queue) yield client;
  }

  *connections(): Generator<T> {
    for (const queue of this.#byClient.values()) yield* queue;
  }

  /** The one whose turn it is: the first of the client that has least. */
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
   * The first of the client that has most, places and waiting connections together, if that is more than `client` has
   * with one more. It has waited longest, and would be the first to wait in vain.
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
