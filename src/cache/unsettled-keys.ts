import type { Clock } from '../base/clock.ts';
import { Epochs } from './epochs.ts';
import type { SharedMemory } from './shared-memory.ts';

/**
 * How long a write may still be carried out after it has failed without the store saying so: a proxy in front of the
 * store may hold the request, or the store goes on with it after it gave up answering.
 */
const UNSETTLED_MS = 60_000;

/**
 * The keys with a write whose outcome is not known, because it may still be carried out: what is read of such a key is
 * revalidated before each use (docs/architecture.md, law 5). All threads share them.
 *
 * Keys share slots as in `Epochs`, so that the table has a fixed size whatever clients do. A write makes the other keys of
 * its slot misses, and reads of them are revalidated as long as it is unsettled.
 */
export class UnsettledKeys {
  /** Per slot: until when it is unsettled, in seconds of `Clock.monotonicMs`. */
  readonly #untilS: Int32Array;
  readonly #epochs: Epochs;
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(memory: SharedMemory, clock: Pick<Clock, 'monotonicMs'>) {
    this.#untilS = new Int32Array(memory.unsettled);
    this.#epochs = new Epochs(memory);
    this.#clock = clock;
  }

  /** @param keySlot `ObjectKey.keySlot` */
  has(keySlot: number): boolean {
    return this.#clock.monotonicMs() < 1_000 * Atomics.load(this.#untilS, keySlot);
  }

  /** Nobody knows what becomes of a write to the key; nothing learned of it so far is served without a question. */
  add(keySlot: number): void {
    const untilS = Math.ceil((this.#clock.monotonicMs() + UNSETTLED_MS) / 1_000);
    // before the epoch: whoever asks the store under the new one must see that the key is unsettled
    Atomics.store(this.#untilS, keySlot, untilS);
    this.#epochs.raise(keySlot);
  }
}
