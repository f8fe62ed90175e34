import type { Epochs } from './epochs.ts';
import type { SharedMemory } from './shared-memory.ts';
import type { UnsettledKeys } from './unsettled-keys.ts';

/** A write that may change objects at its store at any moment. */
export interface OpenWrite {
  /** The store has said what became of the write, but has not ended its answer. */
  answered(): void;
  /** The store has refused the write, but has not ended its answer. */
  refused(): void;
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
  refused: () => undefined,
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
  /** Writes under way by slot. */
  readonly #toKeys: Int32Array;
  readonly #toBuckets: Int32Array;
  /** The latest reload that has moved buckets. */
  #latestMove: Move = { slots: new Set(), next: undefined };

  /** @param worker the index of this worker */
  constructor(epochs: Epochs, unsettled: UnsettledKeys, memory: SharedMemory, worker: number) {
    this.#epochs = epochs;
    this.#unsettled = unsettled;
    this.#toKeys = countsOf(memory.openWrites, worker);
    this.#toBuckets = countsOf(memory.openBucketWrites, worker);
  }

  /** @param keySlot `ObjectKey.keySlot` */
  begin(keySlot: number): OpenWrite {
    // of a web origin, which has no objects
    if (keySlot >= this.#toKeys.length) return ofNoObject;
    const raise = () => this.#epochs.raise(keySlot);
    const forget = counted(this.#toKeys, keySlot);
    const leaveMoved = this.#watchMoves();
    raise();
    return {
      answered: () => {
        raise();
        leaveMoved();
      },
      refused: raise,
      unsettled: () => {
        this.#unsettled.add(keySlot);
        leaveMoved();
      },
      over: () =>
        forget(() => {
          raise();
          leaveMoved();
        }),
    };
  }

  /**
   * Every object of a bucket may change. Their records become misses, so the epoch is raised only if the store may have
   * carried out the write: what it has refused, or never got whole, has changed nothing.
   *
   * @param bucketSlot `ObjectKey.bucketSlot`
   */
  beginOfBucket(bucketSlot: number): OpenWrite {
    const raise = () => this.#epochs.raiseBucket(bucketSlot);
    const forget = counted(this.#toBuckets, bucketSlot);
    const leaveMoved = this.#watchMoves();
    let isAnswered = false;
    return {
      answered: () => {
        isAnswered = true;
        raise();
        leaveMoved();
      },
      refused: () => undefined,
      unsettled: () => {
        this.#unsettled.addBucket(bucketSlot);
        leaveMoved();
      },
      over: () => forget(() => isAnswered && raise()),
    };
  }

  /**
   * A reload has moved these buckets: their objects are somewhere else now, or have another name here. What was learned of
   * them before is not served any more. The places before and after may be one to the store, so a write that is under way
   * may change objects that are read under their new name meanwhile; so may one that is carried out later.
   */
  moved(buckets: MovedBuckets): void {
    const slots = buckets === 'every' ? this.#epochs.everyBucket() : buckets;
    if (slots.size === 0) return;
    const next: Move = { slots, next: undefined };
    this.#latestMove.next = next;
    this.#latestMove = next;
    const leave = this.#unsettled.hasAny() ? this.#leaveUnsettled : this.#raise;
    for (const slot of slots) leave(slot);
  }

  readonly #raise = (bucketSlot: number): void => this.#epochs.raiseBucket(bucketSlot);

  readonly #leaveUnsettled = (bucketSlot: number): void => this.#unsettled.addBucket(bucketSlot);

  /** For a write that begins: returns what leaves the buckets unsettled that are moved while it is under way. */
  #watchMoves(): () => void {
    const atBegin = this.#latestMove;
    return () => {
      for (let move = atBegin.next; move; move = move.next)
        for (const slot of move.slots) this.#leaveUnsettled(slot);
    };
  }
}

/** Buckets by `ObjectKey.bucketSlot`; `every` where it cannot be told which. */
export type MovedBuckets = ReadonlySet<number> | 'every';

/** Buckets that a reload has moved. Each leads to the next, so that none is kept that no write can need. */
interface Move {
  readonly slots: ReadonlySet<number>;
  next: Move | undefined;
}

/** Counts a write in `slot`, until the returned function is first called; that then calls its argument before. */
function counted(counts: Int32Array, slot: number): (last: () => void) => void {
  let isOver = false;
  Atomics.add(counts, slot, 1);
  return last => {
    if (isOver) return;
    isOver = true;
    last();
    Atomics.sub(counts, slot, 1);
  };
}

/** Nobody will learn what became of the writes that a worker had under way when it died. */
export function abandonWrites(memory: SharedMemory, worker: number, unsettled: UnsettledKeys): void {
  const toKeys = countsOf(memory.openWrites, worker);
  for (let slot = 0; slot < toKeys.length; slot++)
    if (Atomics.exchange(toKeys, slot, 0) > 0) unsettled.add(slot);
  const toBuckets = countsOf(memory.openBucketWrites, worker);
  for (let slot = 0; slot < toBuckets.length; slot++)
    if (Atomics.exchange(toBuckets, slot, 0) > 0) unsettled.addBucket(slot);
}

function countsOf(ofWorkers: readonly SharedArrayBuffer[], worker: number): Int32Array {
  const counts = ofWorkers[worker];
  if (!counts) throw new RangeError(`no worker ${worker}`);
  return new Int32Array(counts);
}
