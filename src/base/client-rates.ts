import type { Clock } from './clock.ts';

/** What a client may use at once after a pause. */
const BURST_MS = 1_000;

/** Clients that are remembered at most. Who is forgotten may use a burst again. */
const REMEMBERED_CLIENTS = 65_536;

/** A debt that was not waited for is no larger than this: a client is not shut out for what it has had. */
const DEBT_LIMIT_MS = 60_000;

/**
 * Bytes per second of each client, as a token bucket (the generic cell rate algorithm of ITU-T I.371): what is kept of a
 * client is the time from which on it may have more. Several users of one client get their turns in the order in which
 * they reserve.
 */
export class ClientRates {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #bytesPerSecond: number;
  /** When each client may have more. When the younger half is full, the older one is forgotten. */
  #younger = new Map<string, number>();
  #older: ReadonlyMap<string, number> = new Map();

  /** @param bytesPerSecond 0: no limit */
  constructor(bytesPerSecond: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
  }

  get bytesPerSecond(): number {
    return this.#bytesPerSecond;
  }

  /** Clients remembered at the moment; some may be counted twice. */
  get clients(): number {
    return this.#younger.size + this.#older.size;
  }

  /** Changes the limit. What has been reserved keeps its time. */
  limit(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
    if (bytesPerSecond > 0) return;
    this.#younger = new Map();
    this.#older = new Map();
  }

  /** How long `client` has to wait until it may have more. */
  waitMs(client: string): number {
    return Math.max(0, this.#find(client) - this.#clock.monotonicMs());
  }

  /** Reserves the next `sizeBytes` of `client`. @returns how long it has to wait before it uses them */
  reserve(client: string, sizeBytes: number): number {
    if (this.#bytesPerSecond === 0) return 0;
    const nowMs = this.#clock.monotonicMs();
    const startMs = Math.max(this.#find(client), nowMs - BURST_MS);
    this.#remember(client, startMs + this.#durationMs(sizeBytes));
    return Math.max(0, startMs - nowMs);
  }

  /** Gives back what `client` has reserved and not used. */
  giveBack(client: string, sizeBytes: number): void {
    if (this.#bytesPerSecond > 0) this.#remember(client, this.#find(client) - this.#durationMs(sizeBytes));
  }

  /** Counts what `client` has had already: it waits for it before the next. */
  charge(client: string, sizeBytes: number): void {
    if (this.#bytesPerSecond === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const beforeMs = Math.max(this.#find(client), nowMs - BURST_MS);
    const limitMs = Math.max(beforeMs, nowMs + DEBT_LIMIT_MS);
    this.#remember(client, Math.min(beforeMs + this.#durationMs(sizeBytes), limitMs));
  }

  #durationMs(sizeBytes: number): number {
    return (sizeBytes * 1_000) / this.#bytesPerSecond;
  }

  #find(client: string): number {
    return this.#younger.get(client) ?? this.#older.get(client) ?? 0;
  }

  #remember(client: string, nextMs: number): void {
    this.#younger.set(client, nextMs);
    if (this.#younger.size < REMEMBERED_CLIENTS / 2) return;
    this.#older = this.#younger;
    this.#younger = new Map();
  }
}
