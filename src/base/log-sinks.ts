import { destination } from 'pino';
import { type Clock, systemClock, type Timer } from './clock.ts';
import type { LogSink } from './logger.ts';

/** Lines held while nobody reads the other end of the pipe; beyond that they are dropped, never waited for. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** So long the last lines wait for somebody to read the other end of the pipe. */
const LAST_FLUSH_MS = 1_000;

/** Writes to a file descriptor without blocking the event loop. A reader that went away, or reads nothing, ends nothing. */
export function descriptorSink(descriptor: number, clock: Clock = systemClock): LogSink {
  let untilMs = Infinity;
  let isFailing = false;
  const stream = destination({
    ...{ dest: descriptor, sync: false, maxLength: MAX_WAITING_BYTES },
    retryEAGAIN: () => clock.monotonicMs() < untilMs,
  });
  // sonic-boom's own tries for ever: a pipe that nobody reads or a full disk would keep the process from ending
  const flushSync = stream.flushSync.bind(stream);
  const flush = () => {
    if (isFailing) return;
    untilMs = clock.monotonicMs() + LAST_FLUSH_MS;
    try {
      flushSync();
    } catch {
      // nobody is left to tell; nor need the next flush wait again
      isFailing = true;
    } finally {
      untilMs = Infinity;
    }
  };
  // pino calls it at the exit
  stream.flushSync = flush;
  stream.on('error', () => {
    isFailing = true;
  });
  stream.on('write', () => {
    isFailing = false;
  });
  return { write: lines => void stream.write(lines), flush };
}

/** Passes every line through `redact` before `sink` sees it. */
export function redactingSink(sink: LogSink, redact: (text: string) => string): LogSink {
  return { write: lines => sink.write(redact(lines)), flush: () => sink.flush() };
}

export interface BatchedSinkOptions {
  readonly clock: Clock;
  /** Receives a batch of whole lines. */
  readonly send: (lines: string) => void;
  /** A batch goes out as soon as it holds this many characters… */
  readonly maxBatchLength?: number;
  /** …or this long after its first line. */
  readonly maxDelayMs?: number;
}

/** Gathers lines so that a worker sends its supervisor one message per batch instead of one per line. */
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
