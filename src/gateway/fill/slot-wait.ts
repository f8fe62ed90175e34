import type { Clock, Timer } from '../../base/clock.ts';
import type { MemoryTier } from '../../cache/memory-tier.ts';
import type { SlotWaitRank } from '../../cache/slot-waiters.ts';
import type { AwaitedBy } from './byte-waiters.ts';

/** Signals that a slot may be free. */
export interface SlotSignals {
  readonly clock: Clock;
  readonly slots: Pick<MemoryTier, 'whenFreed' | 'waitingFirst'>;
}

const SLOT_POLL_MS = 50;

/**
 * How long a transfer keeps its connection while there is no slot for its bytes; afterwards they are requested again.
 */
const CONNECTION_LIMIT_MS = 1_000;

/** How long a reader waits for slots before the first byte of its answer, in all its fills together. */
export const FIRST_BYTE_LIMIT_MS = 1_500;

/**
 * A wait of this length presses: readers that have stalled are cut for it. Where there are many readers, slots become free and are
 * taken again all the time, and each waits for its turn; one in the middle of its answer is no reason to cut another one at once.
 */
const PRESSING_AFTER_MS = { new: 500, begun: 5_000 };

/** The wait of one extent for a slot of the arena: at most one callback and one timer, however often it begins. */
export class SlotWait {
  readonly #signs: SlotSignals;
  readonly #retry: () => void;
  #forget: (() => void) | undefined;
  /** The callback of the current wait: a notification may already be queued when the wait ends. */
  #awaited: (() => void) | undefined;
  #poll: Timer | undefined;
  #sinceMs: number | undefined;
  /** How long the waits that have ended took. */
  #endedMs = 0;

  /** @param retry called once per `begin`, unless the wait ends before */
  constructor(signs: SlotSignals, retry: () => void) {
    this.#signs = signs;
    this.#retry = retry;
  }

  get isWaiting(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** Whether a waiting transfer may keep its connection. */
  get keepsConnection(): boolean {
    return this.#waitedMs < CONNECTION_LIMIT_MS;
  }

  /** How long all waits took so far. */
  get totalMs(): number {
    return this.#endedMs + this.#waitedMs;
  }

  /**
   * The `totalMs` at which a reader is refused that may wait for slots for `leftMs`. One that joins a wait is refused with
   * those that were there when it began, unless its own limit is infinite.
   */
  refusalMs(leftMs: number): number {
    if (leftMs === Infinity) return Infinity;
    return this.totalMs + Math.min(leftMs, FIRST_BYTE_LIMIT_MS - this.#waitedMs);
  }

  /** Whether a reader with this `refusalMs` is refused by now. A reader is refused only while there is no slot. */
  hasRefused(refusalMs: number): boolean {
    return this.isWaiting && this.totalMs >= refusalMs;
  }

  get #waitedMs(): number {
    return this.#sinceMs === undefined ? 0 : this.#signs.clock.monotonicMs() - this.#sinceMs;
  }

  /** No slot is available, still or again. */
  begin(awaitedBy: AwaitedBy, fillGroup: number): void {
    const { clock, slots } = this.#signs;
    this.#stop();
    this.#sinceMs ??= clock.monotonicMs();
    const retry = () => {
      if (this.#awaited !== retry) return;
      this.#stop();
      this.#retry();
    };
    this.#awaited = retry;
    this.#forget = slots.whenFreed(retry, this.#rank(awaitedBy), fillGroup);
    // slots released by other threads are not signalled
    this.#poll = clock.after(SLOT_POLL_MS, retry);
  }

  /** A slot was allocated, or none is needed any more. */
  end(): void {
    this.#endedMs += this.#waitedMs;
    this.#sinceMs = undefined;
    this.#stop();
  }

  #rank(awaitedBy: AwaitedBy): SlotWaitRank {
    if (awaitedBy === 'none') return 'ahead';
    return this.#waitedMs < PRESSING_AFTER_MS[awaitedBy] ? 'urgent' : 'pressing';
  }

  #stop(): void {
    this.#forget?.();
    this.#poll?.cancel();
    this.#forget = undefined;
    this.#poll = undefined;
    this.#awaited = undefined;
  }
}
