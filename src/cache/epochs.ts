import { EPOCH_SLOTS, type SharedMemory } from './shared-memory.ts';

/**
 * A number per key slot, shared by all threads, that only rises. Whatever makes old content of a key wrong (a purge,
 * a write, an event of the store) raises it; what was learned under an older number is not served and not stored.
 */
export class Epochs {
  readonly #numbers: Int32Array;

  constructor(memory: SharedMemory) {
    this.#numbers = new Int32Array(memory.epochs);
  }

  /** The number now. @param keyHash see `hashKey`. */
  current(keyHash: number): number {
    return Atomics.load(this.#numbers, keyHash % EPOCH_SLOTS);
  }

  /** From here on, nothing learned about the key before is valid. */
  raise(keyHash: number): void {
    Atomics.add(this.#numbers, keyHash % EPOCH_SLOTS, 1);
  }
}
