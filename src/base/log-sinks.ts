import { destination } from 'pino';
import type { Clock, Timer } from './clock.ts';
import type { LogSink } from './logger.ts';

/** Lines held while nobody reads the other end of the pipe; beyond that they are dropped, never waited for. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Writes to a file descriptor without blocking the event loop. A reader that went away ends nothing. */
export function descriptorSink(descriptor: number): LogSink {
  const stream = destination({ dest: descriptor, sync: false, maxLength: MAX_WAITING_BYTES });
  // sonic-boom's last flush, which pino calls at the exit too, tries for ever what fails with anything but EAGAIN, such as a
  // full disk: the process would not end
  const flushSync = stream.flushSync.bind(stream);
  stream.on('error', () => {
    stream.flushSync = () => undefined;
  });
  stream.on('write', () => {
    stream.flushSync = flushSync;
  });
  return {
    write: lines => void stream.write(lines),
    flush: () => {
      try {
        stream.flushSync();
      } catch {
        // EPIPE or EAGAIN at the very end: there is nobody left to tell
      }
    },
  };
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
