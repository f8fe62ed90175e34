import type { StoreCall } from '../../backend/store.ts';
import { StoreError } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import { RefusedByStoreError } from './fill-error.ts';
import { RangedRead, type RangeReceiver, type RangeSource } from './ranged-read.ts';

/** What an extent needs around it. */
export interface ExtentSurroundings {
  readonly clock: Clock;
  /** A number in [0, 1): spreads retries. */
  readonly random: () => number;
  /** Calls back once a slot of the arena may have become free. */
  readonly whenSlotFreed: (callback: () => void) => void;
  /** A transfer from `backend` is tried again. */
  readonly retried: (backend: string, reason: string) => void;
}

interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const attemptsWithoutProgress = 5;
const firstRetryDelayMs = 50;
const longestRetryDelayMs = 1_000;
const slotPollMs = 50;

/**
 * A run of missing bytes `[from, to)` on its way from the store into the blocks of a generation. When the connection
 * breaks it resumes at the byte where it stopped. Whoever waits for a byte is woken as soon as it has arrived.
 */
export class Extent implements RangeReceiver {
  readonly generation: Generation;
  readonly from: number;
  readonly #surroundings: ExtentSurroundings;
  readonly #source: RangeSource;
  readonly #onEnd: (extent: Extent) => void;
  readonly #waiters = new Set<Waiter>();
  readonly #backend: string;
  #askedTo: number;
  #to: number;
  #position: number;
  #call: StoreCall | undefined;
  #blockIsOpen = false;
  #held: Buffer | undefined;
  #doneHeld = false;
  #fruitless = 0;
  #outcome: 'running' | 'done' | Error = 'running';

  constructor(
    generation: Generation,
    from: number,
    to: number,
    source: RangeSource,
    surroundings: ExtentSurroundings,
    onEnd: (extent: Extent) => void,
  ) {
    this.generation = generation;
    this.from = from;
    this.#position = from;
    this.#to = to;
    this.#askedTo = to;
    this.#source = source;
    this.#backend = source.backend;
    this.#surroundings = surroundings;
    this.#onEnd = onEnd;
  }

  /** The next byte to arrive. */
  get position(): number {
    return this.#position;
  }

  get to(): number {
    return this.#to;
  }

  /** Asks the store for what is missing. */
  start(): void {
    this.#askedTo = this.#to;
    const read = new RangedRead(this.generation.identity, this.#position, this.#to, this);
    this.#call = this.#source.send(this.#position, this.#to, read);
  }

  /**
   * Takes over a transfer that has begun already: bytes from `from` on are to be handed to `bytes`. Of a long one only
   * what lies before `limitTo` is taken, so that nobody's bytes are fetched for nobody.
   */
  adopt(call: StoreCall, limitTo: number): void {
    this.#call = call;
    this.#to = Math.min(this.#to, limitTo);
  }

  /** Whether this extent is going to write into the block that `position` lies in. */
  claims(position: number): boolean {
    return (
      position >= this.generation.blockStart(this.#position) &&
      position < this.generation.blockEnd(this.#to - 1)
    );
  }

  /**
   * Resolves when the byte at `position` has arrived or the extent has ended well; rejects when it failed. A byte in
   * front of the extent does not come with it: then its block is waited for, which nobody else can fill before.
   */
  reached(position: number): Promise<void> {
    if (this.#outcome instanceof Error) return Promise.reject(this.#outcome);
    const awaited = position < this.from ? this.generation.blockEnd(position) - 1 : position;
    if (this.#outcome === 'done' || this.#position > awaited) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.add({ position: awaited, resolve, reject }));
  }

  /** Nobody wants the rest: ends with the block that is arriving. */
  stopSoon(): void {
    if (this.#outcome !== 'running') return;
    this.#to = Math.min(this.#to, this.generation.blockEnd(this.#position));
    if (this.#position >= this.#to || !this.#blockIsOpen) this.#end('done');
  }

  bytes(chunk: Buffer): void {
    if (this.#outcome !== 'running') return;
    this.#fruitless = 0;
    this.#store(this.#held ? Buffer.concat([this.#held, chunk]) : chunk);
  }

  done(): void {
    if (this.#held) this.#doneHeld = true;
    else this.#end('done');
  }

  failed(error: Error): void {
    if (this.#outcome !== 'running') return;
    this.#held = undefined;
    if (!isPassing(error) || this.#fruitless >= attemptsWithoutProgress) {
      this.#end(error);
      return;
    }
    this.#surroundings.retried(
      this.#backend,
      error instanceof StoreError ? error.code.toLowerCase() : 'status',
    );
    const delayMs = this.#fruitless === 0 ? 0 : this.#retryDelayMs();
    this.#fruitless++;
    this.#surroundings.clock.after(delayMs, () => this.#outcome === 'running' && this.start());
  }

  /** Writes what there is room for; the rest waits, and the store's connection with it. */
  #store(chunk: Buffer): void {
    let rest = chunk;
    this.#held = undefined;
    while (rest.length > 0 && this.#position < this.#to) {
      if (!this.#blockIsOpen && !this.#openBlock()) {
        this.#hold(rest);
        break;
      }
      const part = rest.subarray(
        0,
        Math.min(this.generation.blockEnd(this.#position), this.#to) - this.#position,
      );
      this.generation.write(this.#position, part);
      this.#position += part.length;
      rest = rest.subarray(part.length);
      if (this.#position === this.#to || this.#position === this.generation.blockEnd(this.#position - 1))
        this.#closeBlock();
    }
    this.#wake();
    if (this.#position >= this.#to) this.#end('done');
  }

  #openBlock(): boolean {
    this.#blockIsOpen = this.generation.openBlock(this.#position);
    return this.#blockIsOpen;
  }

  #closeBlock(): void {
    this.#blockIsOpen = false;
    this.generation.closeBlock(this.#position - 1);
  }

  #hold(rest: Buffer): void {
    this.#held = Buffer.from(rest);
    this.#call?.pause();
    this.#surroundings.whenSlotFreed(() => this.#retryHeld());
    // A reader in another thread lets go of a slot without a word.
    this.#surroundings.clock.after(slotPollMs, () => this.#retryHeld());
  }

  #retryHeld(): void {
    if (!this.#held || this.#outcome !== 'running') return;
    this.#store(this.#held);
    if (this.#held || this.#outcome !== 'running') return;
    this.#call?.resume();
    if (this.#doneHeld) this.#end('done');
  }

  #wake(): void {
    for (const waiter of this.#waiters) {
      if (waiter.position >= this.#position) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #end(outcome: 'done' | Error): void {
    if (this.#outcome !== 'running') return;
    this.#outcome = outcome;
    if (this.#blockIsOpen) this.#abandonBlock();
    if (this.#position < this.#askedTo) this.#call?.abort();
    this.#held = undefined;
    this.#onEnd(this);
    for (const waiter of this.#waiters) outcome === 'done' ? waiter.resolve() : waiter.reject(outcome);
    this.#waiters.clear();
  }

  #abandonBlock(): void {
    this.#blockIsOpen = false;
    this.generation.closeBlock(this.#position);
  }

  #retryDelayMs(): number {
    const delayMs = Math.min(longestRetryDelayMs, firstRetryDelayMs * 2 ** (this.#fruitless - 1));
    return delayMs * (0.5 + this.#surroundings.random() / 2);
  }
}

/** Whether another try may go better: the connection, or the store being busy. */
function isPassing(error: Error): boolean {
  return error instanceof StoreError || (error instanceof RefusedByStoreError && isBusy(error.reply.status));
}

/** RFC 9110 §15.6, and 429 of RFC 6585. */
export function isBusy(status: number): boolean {
  return status === 429 || status === 500 || status === 502 || status === 503 || status === 504;
}
