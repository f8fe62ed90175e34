import type { ObjectKey } from './object-key.ts';
import type { SharedMemory } from './shared-memory.ts';

/**
 * A counter per key slot, which all threads share: whoever holds answers of web origins raises it when what it holds of the name
 * changes. What one worker has told another holds only while the counter is what it was then, whatever else has become of it where
 * it was told: packed, evicted, or replaced.
 *
 * Names share slots as in `Epochs`: a change of one costs the others a question to the worker that owns them.
 */
export class NameChanges {
  readonly #counts: Int32Array;

  constructor(memory: Pick<SharedMemory, 'nameChanges'>) {
    this.#counts = new Int32Array(memory.nameChanges);
  }

  /** How often a name of this slot has changed, modulo 2^32. */
  count({ keySlot }: Pick<ObjectKey, 'keySlot'>): number {
    return Atomics.load(this.#counts, keySlot);
  }

  raise({ keySlot }: Pick<ObjectKey, 'keySlot'>): void {
    Atomics.add(this.#counts, keySlot, 1);
  }
}
