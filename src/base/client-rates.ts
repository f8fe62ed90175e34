import type { Clock } from './clock.ts';

/** Burst: after a pause, a client may use the bytes of this time at once. */
const BURST_MS = 1_000;

/** Largest number of clients remembered. A forgotten client may use a burst again. */
const REMEMBERED_CLIENTS = 65_536;

/** Upper limit for the wait that `charge` can cause: bytes that were already sent must not shut a client out for long. */
const DEBT_LIMIT_MS = 60_000;

/**
 * Bytes per second of each client, as a token bucket (the generic cell rate algorithm of ITU-T I.371): per client, only
 * the time from which it may have more bytes is stored. Concurrent responses to one client are served in the order in
 * which they reserve.
 */
export class ClientRates {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #bytesPerSecond: number;
  /** When each client may have more bytes. Two generations: when the younger is full, the older one is dropped. */
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

  /** Number of clients remembered; one that is in both generations counts twice. */
  get clients(): number {
    return this.#younger.size + this.#older.size;
  }

  /** Changes the limit. Existing reservations keep their times. */
  limit(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
    if (bytesPerSecond > 0) return;
    this.#younger = new Map();
    this.#older = new Map();
  }

  /** How long `client` has to wait for its next bytes. */
  waitMs(client: string): number {
    return Math.max(0, this.#find(client) - this.#clock.monotonicMs());
  }

  /** Reserves `sizeBytes` for `client`. @returns how long it has to wait before they may be sent */
  reserve(client: string, sizeBytes: number): number {
    if (this.#bytesPerSecond === 0) return 0;
    const nowMs = this.#clock.monotonicMs();
    const startMs = Math.max(this.#find(client), nowMs - BURST_MS);
    this.#remember(client, startMs + this.#durationMs(sizeBytes));
    return Math.max(0, startMs - nowMs);
  }

  /** Returns bytes that were reserved for `client` and not sent. */
  giveBack(client: string, sizeBytes: number): void {
    if (this.#bytesPerSecond > 0) this.#remember(client, this.#find(client) - this.#durationMs(sizeBytes));
  }

  /** Counts bytes that `client` got without a reservation: they delay its next ones. */
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
