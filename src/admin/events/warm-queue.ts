import { lengthPrefixed } from '../../base/length-prefixed.ts';
import { Oldest } from '../../cache/oldest.ts';
import type { ChangedObject } from '../../gateway/operate/objects-to-warm.ts';
import type { WarmOrder } from '../../gateway/operate/warm-object.ts';
import type { Warmed } from '../../gateway/read/warmed.ts';

/**
 * What became of a changed object: it is held again; it is not kept; the store has refused it, as where it has gone again; it
 * could not be read; or its turn did not come.
 */
export type WarmOutcome = 'warmed' | 'uncached' | 'refused' | 'failed' | 'dropped';

interface WarmQueueParts {
  /** Reads an object into the cache, best on the worker that owns what has this hash. Never rejects. */
  readonly warm: (order: WarmOrder, hash: number) => Promise<Warmed>;
  readonly count: (outcome: WarmOutcome) => void;
}

/** Objects that wait, and the bytes of their names: events come faster than objects can be read. */
const MAX_OBJECTS = 10_000;
const MAX_NAME_BYTES = 4 * 2 ** 20;

/** Objects that are read at a time. */
const CONCURRENCY = 4;

/** In UTF-16, as engines hold what is not Latin. */
const BYTES_OF_UNIT = 2;

/**
 * Changed objects that wait to be read again. An object waits once, however often it changes meanwhile: what is read in the end is
 * what the store has then. Where there are too many, the one that has waited longest goes: clients had the most time to ask
 * for it themselves, and of the newest nobody has anything yet.
 */
export class WarmQueue {
  readonly #parts: WarmQueueParts;
  readonly #waiting = new Map<string, ChangedObject>();
  readonly #oldest = new Oldest(this.#waiting);
  #nameBytes = 0;
  #running = 0;
  #isStopped = false;

  constructor(parts: WarmQueueParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Has them read when their turn comes. */
  add(objects: readonly ChangedObject[]): void {
    if (this.#isStopped) return;
    for (const object of objects) {
      this.#add(object);
      if (this.#running < CONCURRENCY) void this.#run();
    }
  }

  /** Gives up what waits; what is being read ends by itself. */
  stop(): void {
    this.#isStopped = true;
    while (this.#take()) this.#parts.count('dropped');
  }

  #add(object: ChangedObject): void {
    const name = nameOf(object);
    if (this.#waiting.has(name)) return;
    this.#waiting.set(name, object);
    this.#nameBytes += name.length * BYTES_OF_UNIT;
    while (this.#waiting.size > MAX_OBJECTS || this.#nameBytes > MAX_NAME_BYTES) {
      this.#take();
      this.#parts.count('dropped');
    }
  }

  /** The one that has waited longest. */
  #take(): ChangedObject | undefined {
    const name = this.#oldest.key;
    const object = name === undefined ? undefined : this.#waiting.get(name);
    if (name === undefined || object === undefined) return undefined;
    this.#waiting.delete(name);
    this.#oldest.removed(name);
    this.#nameBytes -= name.length * BYTES_OF_UNIT;
    return object;
  }

  async #run(): Promise<void> {
    this.#running++;
    try {
      for (let object = this.#take(); object; object = this.#take())
        this.#parts.count(await this.#read(object));
    } finally {
      this.#running--;
    }
  }

  /** Of the spellings, the first that the store has is what was meant. */
  async #read({ bucket, keys, hash }: ChangedObject): Promise<WarmOutcome> {
    let outcome: WarmOutcome = 'dropped';
    for (const key of keys) {
      if (this.#isStopped) break;
      outcome = outcomeOf(await this.#parts.warm({ bucket, key, isChanged: true }, hash));
      if (outcome !== 'refused') break;
    }
    return outcome;
  }
}

function nameOf({ bucket, keys }: ChangedObject): string {
  return [bucket, ...keys].map(lengthPrefixed).join('');
}

function outcomeOf({ kind }: Warmed): WarmOutcome {
  return kind === 'held' ? 'warmed' : kind;
}
