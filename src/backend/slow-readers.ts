import type { QueueEntry } from './queue-entry.ts';

/** A reader is slow while it has left its call paused for this long. */
const SLOW_MS = 1_000;

/** Calls that use up a share of the connections. */
interface Crowd {
  readonly calls: readonly QueueEntry[];
  /** How many calls wait for one of them to end. */
  readonly waiting: number;
}

/**
 * While calls wait for a share of the connections, slow readers keep half of it. Beyond that, calls are given up: first
 * fills, which go on later from where they stopped; then passed answers of the client that holds most. Among equals it is
 * the one that was paused first.
 */
export class SlowReaders {
  /** Clients that hold a whole half. */
  readonly #crowding = new Set<string>();

  /** Whether any client crowds. */
  get areCrowding(): boolean {
    return this.#crowding.size > 0;
  }

  /** Whether the calls of this client start only when no others can. */
  isCrowding(client: string | undefined): boolean {
    return client !== undefined && this.#crowding.has(client);
  }

  /**
   * The calls whose connections go to waiting ones: those whose readers have stalled, then those of slow readers beyond
   * the half.
   */
  toGiveUp(crowds: Iterable<Crowd>, nowMs: number): ReadonlySet<QueueEntry> {
    this.#crowding.clear();
    const given = new Set<QueueEntry>();
    for (const { calls, waiting } of crowds) {
      const stalled = calls.filter(({ keptUntilMs = Infinity }) => keptUntilMs <= nowMs);
      const inTheWay = new Set([...stalled, ...this.#excessOf(calls, nowMs)]);
      for (const call of [...inTheWay].slice(0, waiting)) given.add(call);
    }
    return given;
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
