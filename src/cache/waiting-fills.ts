import { SlotWaiters, type SlotWaitRank } from './slot-waiters.ts';

/** The fills that wait for a slot: for any that is freed, or for their group to have less than its share (`FillingSlots`). */
export class WaitingFills {
  readonly #needed: Int32Array;
  readonly #hasShare: (group: number) => boolean;
  readonly #forSlot = new SlotWaiters();
  /** They need no memory of anybody else. */
  readonly #forShare = new SlotWaiters();

  /**
   * @param needed where the number of fills is published that have waited long for any slot, for readers in other threads, see
   * `SlotPins.claimNeed`
   * @param hasShare whether a group waits for any slot, not for its share
   */
  constructor(needed: Int32Array, hasShare: (group: number) => boolean) {
    this.#needed = needed;
    this.#hasShare = hasShare;
  }

  /** Fills waiting for what a fill of `group` would wait for. */
  waiting(group: number): number {
    return this.#likeThoseOf(group).count;
  }

  /** Those of them with priority. */
  waitingFirst(group: number): number {
    return this.#likeThoseOf(group).urgent;
  }

  /** Calls back once, see `MemoryTier.whenFreed`. */
  add(callback: () => void, rank: SlotWaitRank, group: number): () => void {
    const forget = this.#likeThoseOf(group).add(callback, rank);
    this.#publishNeed();
    return () => {
      if (forget()) this.#publishNeed();
    };
  }

  /** A reader has released a slot, which helps those that wait for any. */
  released(): void {
    if (this.#forSlot.count > 0) this.notify();
  }

  /** Calls all back. */
  notify(): void {
    if (this.#forSlot.count + this.#forShare.count === 0) return;
    const callbacks = [...this.#forSlot.takeAll(), ...this.#forShare.takeAll()];
    this.#publishNeed();
    for (const callback of callbacks) queueMicrotask(callback);
  }

  #likeThoseOf(group: number): SlotWaiters {
    return this.#hasShare(group) ? this.#forSlot : this.#forShare;
  }

  #publishNeed(): void {
    Atomics.store(this.#needed, 0, this.#forSlot.pressing);
  }
}
