import type { Epochs } from './epochs.ts';
import type { SharedMemory } from './shared-memory.ts';

/** A write that may change an object at its store at any moment. */
export interface OpenWrite {
  /** The store has said what became of the write, but has not ended its answer. */
  answered(): void;
  /** The write is over, whether it was answered, failed or was broken off. May be called again. */
  over(): void;
}

/** A write that changes no object. */
export const ofNoObject: OpenWrite = { answered: () => undefined, over: () => undefined };

/**
 * The writes that a worker has under way (docs/architecture.md, law 5). The epoch of a key is raised before a write is
 * sent to the store, and again before its client learns what became of it: what was read in between, old or new, is
 * not served any more. If the worker dies, `releaseWorker` does that for all that it had open.
 */
export class OpenWrites {
  readonly #epochs: Epochs;
  readonly #counts: Int32Array;
  readonly #worker: number;

  constructor(epochs: Epochs, memory: SharedMemory, worker: number) {
    this.#epochs = epochs;
    this.#counts = new Int32Array(memory.openWrites);
    this.#worker = worker;
  }

  /** Every object may have changed, such as those of a bucket that was deleted. */
  everythingChanged(): void {
    this.#epochs.raiseAll();
  }

  /** @param keyHash see `hashKey` */
  begin(keyHash: number): OpenWrite {
    const epochs = this.#epochs;
    let isOver = false;
    Atomics.add(this.#counts, this.#worker, 1);
    epochs.raise(keyHash);
    return {
      answered: () => epochs.raise(keyHash),
      over: () => {
        if (isOver) return;
        isOver = true;
        epochs.raise(keyHash);
        Atomics.sub(this.#counts, this.#worker, 1);
      },
    };
  }
}
