import type { Clock } from './clock.ts';

/** Limits on turns, and on waiting for them. */
interface TurnLimits {
  /** Turns at a time. */
  readonly turns: number;
  /** Requests that wait for a turn, of all clients. */
  readonly waiting: number;
  /** The longest wait for a turn. */
  readonly waitMs: number;
}

/** A turn that was given. */
export interface Turn {
  /** Calling it again has no effect. */
  end(): void;
}

/** A request that waits for its turn. */
interface Waiter {
  readonly client: string;
  begin(turn: Turn): void;
  refuse(error: unknown): void;
}

/**
 * Gives a few turns at a time. The next one goes to the client that has the fewest; clients that have as many take
 * turns. So who makes one request does not wait behind the hundred requests of another.
 */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #clock: Clock;
  readonly #overload: () => Error;
  /** The turns of each client that has some. */
  readonly #given = new Map<string, number>();
  /** The waiting requests of each client, oldest first. The client that got a turn last is the last one. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #givenCount = 0;
  #waitingCount = 0;

  /** @param overload makes the error for a request that gets no turn */
  constructor(limits: TurnLimits, clock: Clock, overload: () => Error) {
    this.#limits = limits;
    this.#clock = clock;
    this.#overload = overload;
  }

  /** The turns given, and the requests that wait for one. */
  get counts(): { readonly given: number; readonly waiting: number } {
    return { given: this.#givenCount, waiting: this.#waitingCount };
  }

  /**
   * Waits for a turn of `client`.
   *
   * @param signal ends the wait; the promise is then rejected with its reason
   * @throws the error for overload (as a rejection) when too many are waiting, or after the longest wait
   */
  async take(client: string, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    if (this.#givenCount < this.#limits.turns) return this.#give(client);
    if (this.#waitingCount >= this.#limits.waiting) this.#makePlace(client);
    return this.#wait(client, signal);
  }

  #give(client: string): Turn {
    this.#givenCount++;
    this.#given.set(client, (this.#given.get(client) ?? 0) + 1);
    let hasEnded = false;
    return {
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#takeBack(client);
      },
    };
  }

  #takeBack(client: string): void {
    this.#givenCount--;
    const left = (this.#given.get(client) ?? 0) - 1;
    if (left > 0) this.#given.set(client, left);
    else this.#given.delete(client);
    const next = this.#next();
    if (!next) return;
    this.#forget(next);
    const others = this.#waiting.get(next.client);
    if (others) {
      this.#waiting.delete(next.client);
      this.#waiting.set(next.client, others);
    }
    next.begin(this.#give(next.client));
  }

  #next(): Waiter | undefined {
    let fewest = Infinity;
    let next: Waiter | undefined;
    for (const [client, waiters] of this.#waiting) {
      const given = this.#given.get(client) ?? 0;
      if (given >= fewest) continue;
      fewest = given;
      [next] = waiters;
      if (given === 0) break;
    }
    return next;
  }

  #wait(client: string, signal: AbortSignal): Promise<Turn> {
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const leave = () => waiter.refuse(signal.reason);
    const timer = this.#clock.after(this.#limits.waitMs, () => waiter.refuse(this.#overload()));
    const settle = () => {
      timer.cancel();
      signal.removeEventListener('abort', leave);
    };
    const waiter: Waiter = {
      client,
      begin: turn => {
        settle();
        resolve(turn);
      },
      refuse: error => {
        settle();
        this.#forget(waiter);
        reject(error);
      },
    };
    signal.addEventListener('abort', leave);
    const waiters = this.#waiting.get(client) ?? new Set();
    this.#waiting.set(client, waiters.add(waiter));
    this.#waitingCount++;
    return promise;
  }

  #forget(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.client);
    if (!waiters?.delete(waiter)) return;
    this.#waitingCount--;
    if (waiters.size === 0) this.#waiting.delete(waiter.client);
  }

  /**
   * Refuses the newest request of the client with the most waiting, in favour of `client`, which has fewer.
   *
   * @throws the error for overload when it has as many
   */
  #makePlace(client: string): void {
    let most = this.#waiting.get(client) ?? new Set();
    const own = most.size;
    for (const waiters of this.#waiting.values()) if (waiters.size > most.size) most = waiters;
    const newest = Array.from(most).at(-1);
    if (!newest || most.size <= own + 1) throw this.#overload();
    newest.refuse(this.#overload());
  }
}
