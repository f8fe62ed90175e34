import { destination } from 'pino';
import { type Clock, systemClock, type Timer } from './clock.ts';
import type { LogSink } from './logger.ts';

/** Bytes buffered while the reader of the pipe has stalled; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** How long the last flush waits for the reader of the pipe. */
const LAST_FLUSH_MS = 1_000;

/**
 * Writes to a file descriptor without blocking the event loop. A reader that has gone or has stalled never stops the
 * process.
 *
 * @param onDrop is given the lines for which there was no room
 */
export function descriptorSink(
  descriptor: number,
  clock: Clock = systemClock,
  onDrop: (lines: string) => void = () => undefined,
): LogSink {
  let untilMs = Infinity;
  let isFailing = false;
  const stream = destination({
    ...{ dest: descriptor, sync: false, maxLength: MAX_WAITING_BYTES },
    retryEAGAIN: () => clock.monotonicMs() < untilMs,
  });
  // sonic-boom's own flush retries for ever: a stalled pipe or a full disk would keep the process from exiting
  const flushSync = stream.flushSync.bind(stream);
  const flush = () => {
    if (isFailing) return;
    untilMs = clock.monotonicMs() + LAST_FLUSH_MS;
    try {
      flushSync();
    } catch {
      // nobody can be told, and later flushes need not wait again
      isFailing = true;
    } finally {
      untilMs = Infinity;
    }
  };
  // pino calls this at exit
  stream.flushSync = flush;
  stream.on('error', () => {
    isFailing = true;
  });
  stream.on('drop', onDrop);
  stream.on('write', () => {
    isFailing = false;
  });
  return { write: lines => void stream.write(lines), flush };
}

/** Passes all lines through `redact`. */
export function redactingSink(sink: LogSink, redact: (text: string) => string): LogSink {
  return { write: lines => sink.write(redact(lines)), flush: () => sink.flush() };
}

interface BatchedSinkOptions {
  readonly clock: Clock;
  /** Receives a batch of whole lines. */
  readonly send: (lines: string) => void;
  /** A batch is sent when it has this many characters… */
  readonly maxBatchLength?: number;
  /** …or this long after its first line. */
  readonly maxDelayMs?: number;
}

/** Batches lines, so that a worker posts one message to its supervisor per batch rather than per line. */
export function batchedSink(options: BatchedSinkOptions): LogSink {
  const { clock, send, maxBatchLength = 64 * 1024, maxDelayMs = 100 } = options;
  let batch = '';
  let timer: Timer | undefined;
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    if (batch === '') return;
    const lines = batch;
    batch = '';
    send(lines);
  };
  return {
    write(lines) {
      batch += lines;
      if (batch.length >= maxBatchLength) flush();
      else timer ??= clock.after(maxDelayMs, flush);
    },
    flush,
  };
}

interface ConfirmedSinkOptions {
  readonly clock: Clock;
  /** Receives a batch of whole lines; resolves when it has been taken over. */
  readonly send: (lines: string) => Promise<unknown>;
  /** Characters that may be on their way. */
  readonly maxWaitingLength?: number;
}

/** Batches that are on their way to a reader; while it does not keep up, lines are dropped and counted. */
export class ConfirmedSink implements LogSink {
  droppedLines = 0;
  readonly #send: (lines: string) => Promise<unknown>;
  readonly #maxWaitingLength: number;
  readonly #batches: LogSink;
  #waitingLength = 0;

  constructor({ clock, send, maxWaitingLength = MAX_WAITING_BYTES }: ConfirmedSinkOptions) {
    this.#send = send;
    this.#maxWaitingLength = maxWaitingLength;
    this.#batches = batchedSink({ clock, send: lines => this.#pass(lines) });
  }

  write(lines: string): void {
    this.#batches.write(lines);
  }

  flush(): void {
    this.#batches.flush();
  }

  #pass(lines: string): void {
    if (this.#waitingLength + lines.length > this.#maxWaitingLength) {
      this.droppedLines += countLines(lines);
      return;
    }
    this.#waitingLength += lines.length;
    const taken = () => {
      this.#waitingLength -= lines.length;
    };
    this.#send(lines).then(taken, taken);
  }
}

/** How many lines end in `lines`. */
export function countLines(lines: string): number {
  let count = 0;
  for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', end + 1)) count++;
  return count;
}
