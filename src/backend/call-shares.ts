import type { QueueEntry } from './queue-entry.ts';

/** A limit on how many calls of one kind are in progress. */
export interface Share {
  readonly limit: number;
  /** Whether only calls without a minimum rate count. */
  readonly isUntimed: boolean;
  /** Calls in progress, and with those that wait. */
  running: number;
  calls: number;
  /** When the store last answered or completed one of them. */
  movedMs: number;
}

/** The shares of one call. */
interface CallsShares {
  /** The narrowest first. */
  readonly all: readonly Share[];
  /** Who has it sent; undefined for what is fetched for all. */
  readonly client: string | undefined;
}

/**
 * The shares that calls have of the connections to a store: half of them for one object; three quarters for the reads that
 * are for one client; half for all calls without a minimum rate, since these may last for as long as their clients want; and
 * half of that half for those of one client. So reads find a connection whatever is written, and calls whatever another client
 * reads or writes.
 */
export class CallShares {
  readonly all: Share;
  readonly #untimed: Share;
  readonly #byObject: SharesByName;
  readonly #timedByClient: SharesByName;
  readonly #untimedByClient: SharesByName;
  readonly #ofCalls = new Map<QueueEntry, CallsShares>();

  constructor(connections: number) {
    const untimed = Math.max(1, Math.floor(connections / 2));
    this.all = newShare(connections, false);
    this.#untimed = newShare(untimed, true);
    this.#byObject = new SharesByName(() => newShare(Math.ceil(connections / 2), false));
    this.#timedByClient = new SharesByName(() => newShare(Math.ceil((connections * 3) / 4), false));
    this.#untimedByClient = new SharesByName(() => newShare(Math.ceil(untimed / 2), true));
  }

  /** The number of objects that have calls. */
  get objects(): number {
    return this.#byObject.size;
  }

  /** `entry` waits or is about to start. */
  enter(entry: QueueEntry): void {
    const all = [this.#byObject.of(entry.object), ...this.#ofClient(entry), this.all];
    for (const share of all) share.calls++;
    this.#ofCalls.set(entry, { all, client: entry.client });
  }

  start(entry: QueueEntry): void {
    for (const share of this.of(entry)) share.running++;
  }

  /** Forgets `entry`, which was in progress or not. */
  leave(entry: QueueEntry, wasRunning: boolean): void {
    this.release(entry, wasRunning);
    for (const share of this.of(entry)) giveBack(share, wasRunning);
    this.#ofCalls.delete(entry);
    this.#byObject.forget(entry.object);
  }

  /** `entry` does not count for its client any more, if it does and is known. */
  release(entry: QueueEntry, isRunning: boolean): void {
    const { all, client } = this.#ofCalls.get(entry) ?? {};
    if (!all || client === undefined) return;
    const byClient = this.#byClient(entry);
    const released = byClient.of(client);
    giveBack(released, isRunning);
    this.#ofCalls.set(entry, { all: all.filter(share => share !== released), client: undefined });
    byClient.forget(client);
  }

  /** The store has answered or completed `entry`. */
  moved(entry: QueueEntry, nowMs: number): void {
    for (const share of this.of(entry)) share.movedMs = nowMs;
  }

  /** The shares of `entry`, the narrowest first; none when it is not known. */
  of(entry: QueueEntry): readonly Share[] {
    return this.#ofCalls.get(entry)?.all ?? [];
  }

  mayStart(entry: QueueEntry): boolean {
    return this.of(entry).every(share => share.running < share.limit);
  }

  /** The shares of `entry` that are used up, the narrowest first. */
  usedUp(entry: QueueEntry): readonly Share[] {
    return this.of(entry).filter(({ running, limit }) => running >= limit);
  }

  #ofClient(entry: QueueEntry): Share[] {
    const own = entry.client === undefined ? [] : [this.#byClient(entry).of(entry.client)];
    return entry.isTimed ? own : [...own, this.#untimed];
  }

  #byClient({ isTimed }: QueueEntry): SharesByName {
    return isTimed ? this.#timedByClient : this.#untimedByClient;
  }
}

function newShare(limit: number, isUntimed: boolean): Share {
  return { limit, isUntimed, running: 0, calls: 0, movedMs: 0 };
}

function giveBack(share: Share, wasRunning: boolean): void {
  share.calls--;
  if (wasRunning) share.running--;
}

/** Shares that are kept while they have calls. */
class SharesByName {
  readonly #create: () => Share;
  readonly #shares = new Map<string, Share>();

  constructor(create: () => Share) {
    this.#create = create;
  }

  get size(): number {
    return this.#shares.size;
  }

  of(name: string): Share {
    const known = this.#shares.get(name);
    if (known) return known;
    const share = this.#create();
    this.#shares.set(name, share);
    return share;
  }

  forget(name: string): void {
    if (this.#shares.get(name)?.calls === 0) this.#shares.delete(name);
  }
}
