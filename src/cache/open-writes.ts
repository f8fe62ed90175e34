import type { Epochs } from './epochs.ts';
import { EPOCH_SLOTS, type SharedMemory } from './shared-memory.ts';
import type { UnsettledKeys } from './unsettled-keys.ts';

/** A write that may change an object at its store at any moment. */
export interface OpenWrite {
  /** The store has said what became of the write, but has not ended its answer. */
  answered(): void;
  /** The write has failed, or was answered with an error, but the store may carry it out later. */
  unsettled(): void;
  /** Whether no object changes by it, so that nobody needs to know what became of it once its client has left. */
  readonly changesNothing?: boolean;
  /** The write is over, whether it was answered, failed or was broken off. May be called again. */
  over(): void;
}

/** A write that changes no object. */
export const ofNoObject: OpenWrite = {
  changesNothing: true,
  answered: () => undefined,
  unsettled: () => undefined,
  over: () => undefined,
};

/**
 * The writes that a worker has under way (docs/architecture.md, law 5). The epoch of a key is raised before a write is
 * sent to the store, and again before its client learns what became of it: what was read in between, old or new, is
 * not served any more.
 */
export class OpenWrites {
  readonly #epochs: Epochs;
  readonly #unsettled: UnsettledKeys;
  /** Writes under way by epoch slot. */
  readonly #counts: Int32Array;

  /** @param worker the index of this worker */
  constructor(epochs: Epochs, unsettled: UnsettledKeys, memory: SharedMemory, worker: number) {
    this.#epochs = epochs;
    this.#unsettled = unsettled;
    this.#counts = countsOf(memory, worker);
  }

  /**
   * Every object of a bucket may have changed.
   *
   * @param bucketSlot `ObjectKey.bucketSlot`
   */
  bucketChanged(bucketSlot: number): void {
    this.#epochs.raiseBucket(bucketSlot);
  }

  /** @param keySlot `ObjectKey.keySlot` */
  begin(keySlot: number): OpenWrite {
    const epochs = this.#epochs;
    let isOver = false;
    Atomics.add(this.#counts, keySlot, 1);
    epochs.raise(keySlot);
    return {
      answered: () => epochs.raise(keySlot),
      unsettled: () => this.#unsettled.add(keySlot),
      over: () => {
        if (isOver) return;
        isOver = true;
        epochs.raise(keySlot);
        Atomics.sub(this.#counts, keySlot, 1);
      },
    };
  }
}

/** Nobody will learn what became of the writes that a worker had under way when it died. */
export function abandonWrites(memory: SharedMemory, worker: number, unsettled: UnsettledKeys): void {
  const counts = countsOf(memory, worker);
  for (let slot = 0; slot < EPOCH_SLOTS; slot++)
    if (Atomics.exchange(counts, slot, 0) > 0) unsettled.add(slot);
}

function countsOf({ openWrites }: SharedMemory, worker: number): Int32Array {
  const counts = openWrites[worker];
  if (!counts) throw new RangeError(`no worker ${worker}`);
  return new Int32Array(counts);
}
