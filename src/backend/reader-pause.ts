/** How long a paused call keeps its connection, in any case, while others wait for it. */
const STALL_LIMIT_MS = 5_000;

/** A reader that takes less than this while others wait has stalled. */
const MIN_RATE_BYTES = 4 * 1024;

/** Where bytes come in small pieces, a pause ends when they have come at this rate since it began. */
const CATCH_UP_RATE_BYTES = 64 * 1024;

/**
 * The operating system accepts more bytes only when a third of the socket's buffer is free. Linux limits that buffer to
 * 4 MiB, so a reader that is slow, but reads, may seem to take nothing and then 1.4 MiB at once.
 */
const LARGEST_STEP_BYTES = 1.5 * 1024 * 1024;

/**
 * How long the reader of a call may leave it paused while others wait for its connection: as long as a reader at
 * `MIN_RATE_BYTES` a second would need for the bytes that it has taken, but not less than `STALL_LIMIT_MS`.
 */
export class ReaderPause {
  #sinceMs: number | undefined;
  #earnedUntilMs = 0;
  /** Taken since it began. */
  #tookBytes = 0;

  /** When the reader paused the call; undefined while it reads. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Until when the call keeps its connection while others wait; undefined while it is not paused. */
  get keptUntilMs(): number | undefined {
    if (this.#sinceMs === undefined) return undefined;
    return Math.max(this.#sinceMs + STALL_LIMIT_MS, this.#earnedUntilMs);
  }

  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#tookBytes = 0;
  }

  end(): void {
    this.#sinceMs = undefined;
  }

  /** What the reader took in the last `durationMs` is not known yet: they do not count against it. */
  extend(durationMs: number, nowMs: number): void {
    this.#earnedUntilMs += durationMs;
    if (this.#sinceMs !== undefined) this.#sinceMs = Math.min(nowMs, this.#sinceMs + durationMs);
  }

  /** The reader has taken `lengthBytes` more. */
  took(lengthBytes: number, nowMs: number): void {
    const earnedMs = (lengthBytes * 1_000) / MIN_RATE_BYTES;
    this.#tookBytes += lengthBytes;
    const limitMs = nowMs + (LARGEST_STEP_BYTES * 1_000) / MIN_RATE_BYTES;
    this.#earnedUntilMs = Math.min(Math.max(this.keptUntilMs ?? 0, nowMs) + earnedMs, limitMs);
  }

  /**
   * The same, where bytes come in small pieces with a pause before each. The pause ends only when much has come since it
   * began: else clients that are far slower than the store, but never pause for long, could keep all connections.
   */
  catchUp(lengthBytes: number, nowMs: number): void {
    this.took(lengthBytes, nowMs);
    const pausedMs = nowMs - (this.#sinceMs ?? nowMs);
    if (this.#tookBytes * 1_000 >= CATCH_UP_RATE_BYTES * pausedMs) this.end();
  }
}
