import { EPOCH_SLOTS, type SharedMemory } from './shared-memory.ts';

/**
 * A counter per key slot, shared by all threads, that only increases. Anything that invalidates a key (a purge, a
 * write, an event of the store) raises it. Records and fills started under an older epoch are neither served nor
 * stored.
 */
export class Epochs {
  readonly #numbers: Int32Array;

  constructor(memory: SharedMemory) {
    this.#numbers = new Int32Array(memory.epochs);
  }

  /** @param keyHash see `hashKey` */
  current(keyHash: number): number {
    return Atomics.load(this.#numbers, keyHash % EPOCH_SLOTS);
  }

  /** Invalidates everything learned about the key so far. */
  raise(keyHash: number): void {
    Atomics.add(this.#numbers, keyHash % EPOCH_SLOTS, 1);
  }

  /** Invalidates everything: each key costs one revalidation. */
  raiseAll(): void {
    for (let slot = 0; slot < EPOCH_SLOTS; slot++) Atomics.add(this.#numbers, slot, 1);
  }
}
