import type { Clock, Timer } from './clock.ts';
import { countLines } from './log-sinks.ts';
import type { LogSink } from './logger.ts';

/** A message between threads costs as much as dozens of lines. */
const BATCH_BYTES = 256 * 1024;

/** Lines are spelled together: one by one it takes three times as long, and many as text outlive the young generation. */
const TEXT_LENGTH = 4 * 1024;

/** A batch is sent this long after its first line at the latest. */
const MAX_DELAY_MS = 100;

/** No character of UTF-16 has more bytes in UTF-8. */
const MOST_BYTES_OF_CHARACTER = 3;

interface LineBatchesOptions {
  readonly clock: Clock;
  /**
   * Receives a batch of whole lines, as UTF-8, which another thread may read too; resolves when its memory may be used
   * again.
   */
  readonly send: (lines: Uint8Array) => Promise<unknown>;
  /** Memory of batches that are on their way. */
  readonly maxWaitingBytes?: number;
}

/**
 * Passes lines to another thread, in batches of bytes in shared memory: they are spelled once, and nothing is copied. While
 * their reader does not keep up, lines are dropped and counted.
 */
export class LineBatches implements LogSink {
  droppedLines = 0;
  readonly #clock: Clock;
  readonly #send: (lines: Uint8Array) => Promise<unknown>;
  readonly #maxWaitingBytes: number;
  /** Lines that are not in the batch yet. */
  #text = '';
  #batch: Buffer | undefined;
  #batchBytes = 0;
  /** Used again and again: the engine does not know the size of shared memory, and would let it pile up. */
  readonly #spare: Buffer[] = [];
  #waitingBytes = 0;
  #timer: Timer | undefined;

  constructor({ clock, send, maxWaitingBytes = 16 * 1024 * 1024 }: LineBatchesOptions) {
    this.#clock = clock;
    this.#send = send;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  write(lines: string): void {
    this.#text += lines;
    this.#timer ??= this.#clock.after(MAX_DELAY_MS, () => this.flush());
    if (this.#text.length >= TEXT_LENGTH) this.#spell();
  }

  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#spell();
    this.#sendBatch();
  }

  /** Puts the text into the batch. */
  #spell(): void {
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    const mostBytes = text.length * MOST_BYTES_OF_CHARACTER;
    if (this.#batch && mostBytes > this.#batch.length - this.#batchBytes) this.#sendBatch();
    const batch = this.#batch && mostBytes <= this.#batch.length ? this.#batch : this.#memoryFor(mostBytes);
    this.#batch = batch;
    this.#batchBytes += batch.write(text, this.#batchBytes);
  }

  #memoryFor(sizeBytes: number): Buffer {
    const spare = sizeBytes <= BATCH_BYTES ? this.#spare.pop() : undefined;
    return spare ?? Buffer.from(new SharedArrayBuffer(Math.max(BATCH_BYTES, sizeBytes)));
  }

  #sendBatch(): void {
    const batch = this.#batch;
    if (!batch || this.#batchBytes === 0) return;
    const lines = batch.subarray(0, this.#batchBytes);
    this.#batchBytes = 0;
    // a few lines do not keep the memory of many from being used while they wait
    const isCopied = lines.length < batch.length / 2;
    const heldBytes = isCopied ? lines.length : batch.length;
    if (this.#waitingBytes + heldBytes > this.#maxWaitingBytes) {
      this.droppedLines += countLines(lines);
      return;
    }
    if (!isCopied) this.#batch = undefined;
    this.#waitingBytes += heldBytes;
    const taken = () => {
      this.#waitingBytes -= heldBytes;
      if (!isCopied && batch.length === BATCH_BYTES) this.#spare.push(batch);
    };
    this.#send(isCopied ? new Uint8Array(lines) : lines).then(taken, taken);
  }
}
