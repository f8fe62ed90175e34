import type { Clock } from '../base/clock.ts';
import { Epochs } from './epochs.ts';
import type { ObjectKey } from './object-key.ts';
import type { SharedMemory } from './shared-memory.ts';

/**
 * How long a write may still be carried out after it has failed without the store saying so: a proxy in front of the
 * store may hold the request, or the store goes on with it after it gave up answering.
 */
const UNSETTLED_MS = 60_000;

/**
 * The keys, and the buckets with all their keys, with a write whose outcome is not known, because it may still be carried
 * out: what is read of such a key is revalidated before each use (docs/architecture.md, law 5). All threads share them.
 *
 * Keys share slots as in `Epochs`, and so do buckets, so that the tables have a fixed size whatever clients do. A write
 * makes the other keys of its slot misses, and reads of them are revalidated as long as it is unsettled.
 */
export class UnsettledKeys {
  /** Per slot: until when it is unsettled, in seconds of `Clock.monotonicMs`. */
  readonly #keysUntilS: Int32Array;
  readonly #bucketsUntilS: Int32Array;
  readonly #epochs: Epochs;
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(memory: SharedMemory, clock: Pick<Clock, 'monotonicMs'>) {
    this.#keysUntilS = new Int32Array(memory.unsettled);
    this.#bucketsUntilS = new Int32Array(memory.unsettledBuckets);
    this.#epochs = new Epochs(memory);
    this.#clock = clock;
  }

  has({ keySlot, bucketSlot }: Pick<ObjectKey, 'keySlot' | 'bucketSlot'>): boolean {
    const keyUntilS = Atomics.load(this.#keysUntilS, keySlot);
    const bucketUntilS = Atomics.load(this.#bucketsUntilS, bucketSlot);
    return this.#clock.monotonicMs() < 1_000 * Math.max(keyUntilS, bucketUntilS);
  }

  /** Whether any key or bucket is unsettled. */
  hasAny(): boolean {
    const nowMs = this.#clock.monotonicMs();
    return hasLater(this.#keysUntilS, nowMs) || hasLater(this.#bucketsUntilS, nowMs);
  }

  /**
   * Nobody knows what becomes of a write to the key; nothing learned of it so far is served without a question.
   *
   * @param keyHash `ObjectKey.keySlot`
   */
  add(keySlot: number): void {
    // before the epoch: whoever asks the store under the new one must see that the key is unsettled
    Atomics.store(this.#keysUntilS, keySlot, this.#endS());
    this.#epochs.raise(keySlot);
  }

  /**
   * The same of a write to a bucket, which may concern all its keys.
   *
   * @param bucketSlot `ObjectKey.bucketSlot`
   */
  addBucket(bucketSlot: number): void {
    Atomics.store(this.#bucketsUntilS, bucketSlot, this.#endS());
    this.#epochs.raiseBucket(bucketSlot);
  }

  #endS(): number {
    return Math.ceil((this.#clock.monotonicMs() + UNSETTLED_MS) / 1_000);
  }
}

/** There are millions of slots: a call for each would take many times as long. */
function hasLater(untilS: Int32Array, nowMs: number): boolean {
  for (let slot = 0; slot < untilS.length; slot++) if (1_000 * (untilS[slot] ?? 0) > nowMs) return true;
  return false;
}
