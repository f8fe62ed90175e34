import type { QueueEntry } from './queue-entry.ts';

/** A reader is slow while it has left its call paused for this long. */
const SLOW_MS = 1_000;

/** How many calls may run. */
interface Shares {
  readonly connections: number;
  /** For one object. */
  readonly perObject: number;
}

/**
 * While calls wait, slow readers keep half of the connections, and half of those of each object. Beyond that, calls are
 * given up: first fills, which go on later from where they stopped; then passed answers of the client that holds most.
 * Among equals it is the one that was paused first.
 */
export class SlowReaders {
  readonly #shares: Shares;
  /** Clients that hold a whole half. */
  readonly #crowding = new Set<string>();

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  /** Whether the calls of this client start only when no others can. */
  isCrowding(client: string | undefined): boolean {
    return client !== undefined && this.#crowding.has(client);
  }

  /**
   * The calls whose connections go to waiting ones: those whose readers have stalled, then those of slow readers beyond
   * the half.
   *
   * @param objects those that calls wait for
   */
  toGiveUp(running: readonly QueueEntry[], objects: Iterable<string>, nowMs: number): QueueEntry[] {
    const { connections, perObject } = this.#shares;
    const given = new Set(running.filter(({ keptUntilMs = Infinity }) => keptUntilMs <= nowMs));
    this.#crowding.clear();
    const giveUpExcess = (calls: readonly QueueEntry[], limit: number) => {
      if (calls.length >= limit) for (const call of this.#excessOf(calls, nowMs)) given.add(call);
    };
    giveUpExcess(running, connections);
    const byObject = Map.groupBy(running, ({ object }) => object);
    for (const object of objects) giveUpExcess(byObject.get(object) ?? [], perObject);
    return [...given];
  }

  #excessOf(calls: readonly QueueEntry[], nowMs: number): QueueEntry[] {
    const half = Math.max(1, Math.floor(calls.length / 2));
    const slow = calls.filter(({ pausedSinceMs = Infinity }) => pausedSinceMs <= nowMs - SLOW_MS);
    const oldestFirst = slow.sort((one, other) => (one.pausedSinceMs ?? 0) - (other.pausedSinceMs ?? 0));
    const byClient = Map.groupBy(oldestFirst, ({ client }) => client);
    const fills = byClient.get(undefined) ?? [];
    byClient.delete(undefined);
    for (const [client, own] of byClient) if (client && own.length >= half) this.#crowding.add(client);
    const excess = Math.max(0, slow.length - half);
    return [...fills.slice(0, excess), ...takeFromLargest([...byClient.values()], excess - fills.length)];
  }
}

/** Takes `count` calls, each from the group that is the largest then. */
function takeFromLargest(groups: QueueEntry[][], count: number): QueueEntry[] {
  const taken: QueueEntry[] = [];
  while (taken.length < count) {
    const largest = groups.reduce((one, other) => (other.length > one.length ? other : one));
    const first = largest.shift();
    if (first) taken.push(first);
  }
  return taken;
}
