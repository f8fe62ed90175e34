import { destination } from 'pino';
import { type Clock, systemClock, type Timer } from './clock.ts';
import type { LogSink } from './logger.ts';

/** Bytes buffered while the reader of the pipe has stalled; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

const NEWLINE = '\n'.charCodeAt(0);

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

/** How many lines end in `lines`, text or UTF-8. */
export function countLines(lines: string | Uint8Array): number {
  const next = (from: number) =>
    typeof lines === 'string' ? lines.indexOf('\n', from) : lines.indexOf(NEWLINE, from);
  let count = 0;
  for (let end = next(0); end >= 0; end = next(end + 1)) count++;
  return count;
}
