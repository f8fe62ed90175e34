import type { SharedMemory } from '../../src/cache/shared-memory.ts';

/** How many objects there are; their sizes differ by more than a page can hold of them. */
export const OBJECTS = 96;

/** Words for a place: how often it was changed, and the fields of `Place`. */
const PLACE_WORDS = 7;

/** What a reader counts, by position. */
const counts = ['lookups', 'told', 'pinned', 'refused', 'torn', 'stale'] as const;
export type Counted = (typeof counts)[number];

/** Memory that all threads of the stress test share, beside that of the product. Plain data that can be posted. */
export interface StressMemory {
  readonly product: SharedMemory;
  readonly places: SharedArrayBuffer;
  /** Int32 per object: the version that was begun last. */
  readonly begun: SharedArrayBuffer;
  /** Int32 per object: versions up to this one were purged, and that was answered. */
  readonly purged: SharedArrayBuffer;
  /** Int32 per worker and position of `counts`; what the owner did is counted in `owned`. */
  readonly counted: SharedArrayBuffer;
  /** Int32: contents that were written, how often one was moved, how often one was told of anew, and how often alone. */
  readonly owned: SharedArrayBuffer;
  /** Int32: not 0 when all threads are to end. */
  readonly stop: SharedArrayBuffer;
}

export function allocateStress(product: SharedMemory): StressMemory {
  const int32 = (length: number) => new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT);
  return {
    product,
    places: int32(OBJECTS * PLACE_WORDS),
    begun: int32(OBJECTS),
    purged: int32(OBJECTS),
    counted: int32(product.layout.workers * counts.length),
    owned: int32(4),
    stop: int32(1),
  };
}

/** Where a content is, and what has to be current for it to hold. */
export interface Place {
  readonly slot: number;
  readonly tag: number;
  readonly version: number;
  readonly granules: number;
  readonly epoch: number;
  readonly barrier: number;
}

/** The places of all objects, written by the owner. While one is being changed, it has an odd number of changes. */
export class Places {
  readonly #words: Int32Array;

  constructor({ places }: StressMemory) {
    this.#words = new Int32Array(places);
  }

  /** Forgets all: the owner before may have died while it changed one. */
  clear(): void {
    for (let index = 0; index < OBJECTS; index++) {
      Atomics.or(this.#words, index * PLACE_WORDS, 1);
      this.#write(index, undefined);
    }
  }

  /** @param place undefined when the content is gone */
  set(index: number, place: Place | undefined): void {
    Atomics.add(this.#words, index * PLACE_WORDS, 1);
    this.#write(index, place);
  }

  get(index: number): Place | undefined {
    const at = index * PLACE_WORDS;
    const word = (position: number) => Atomics.load(this.#words, at + position);
    const changes = word(0);
    const place = {
      ...{ slot: word(1), tag: word(2), version: word(3), granules: word(4) },
      ...{ epoch: word(5), barrier: word(6) },
    };
    return changes % 2 === 0 && word(0) === changes && place.granules > 0 ? place : undefined;
  }

  #write(index: number, place: Place | undefined): void {
    const { slot = 0, tag = 0, version = 0, granules = 0, epoch = 0, barrier = 0 } = place ?? {};
    const at = index * PLACE_WORDS;
    for (const [word, value] of [slot, tag, version, granules, epoch, barrier].entries())
      Atomics.store(this.#words, at + 1 + word, value);
    Atomics.add(this.#words, at, 1);
  }
}

/** What one reader has counted, which stays when it is killed. */
export class Counts {
  readonly #words: Int32Array;

  constructor({ counted }: StressMemory, worker: number) {
    const bytes = counts.length * Int32Array.BYTES_PER_ELEMENT;
    this.#words = new Int32Array(counted, worker * bytes, counts.length);
  }

  add(what: Counted): void {
    Atomics.add(this.#words, counts.indexOf(what), 1);
  }

  get(what: Counted): number {
    return Atomics.load(this.#words, counts.indexOf(what));
  }
}
