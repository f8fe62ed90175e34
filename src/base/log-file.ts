import { close, constants, open, openSync, write, writeSync } from 'node:fs';
import type { Clock } from './clock.ts';
import { errorCode } from './error-code.ts';
import { countLines } from './log-sinks.ts';

/** Bytes that are kept while the disk is slow or full; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

const RETRY_MS = 1_000;
const BUSY_RETRY_MS = 50;

/** A pipe that nobody reads is an error, rather than something to wait for. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** As other servers create their logs: the group of the process may read them. */
const MODE = 0o640;

const NEWLINE = '\n'.charCodeAt(0);

interface LogFileOptions {
  readonly clock: Clock;
  /** Called when a write fails, and when the first one works again. */
  readonly onTrouble: (error: Error | undefined) => void;
  /** Called when lines are dropped. */
  readonly onDrop: (lines: number) => void;
  readonly maxWaitingBytes?: number;
}

/** Lines being written to a file; `done` bytes of them have been written. */
interface Writing {
  readonly bytes: Uint8Array;
  done: number;
  /** To be called when the bytes are not needed any more. */
  readonly over: () => void;
}

/**
 * Appends whole lines to a file, in order, without ever blocking on the disk. The file can be reopened under its name
 * for log rotation (logrotate(8)).
 */
export class LogFile {
  readonly path: string;
  readonly #options: LogFileOptions;
  #descriptor: number;
  /** The reopened file; used as soon as no line is partly written to the old one. */
  #next: number | undefined;
  #reopening: Promise<void> | undefined;
  /** The first is being written. */
  readonly #queue: Writing[] = [];
  #waitingBytes = 0;
  /** Whether a write, or the pause before it is repeated, is in progress. */
  #isBusy = false;
  #hasTrouble = false;
  #isClosed = false;
  #whenIdle: (() => void)[] = [];

  private constructor(path: string, descriptor: number, options: LogFileOptions) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#options = options;
  }

  /** @throws the error of open(2) */
  static open(path: string, options: LogFileOptions): LogFile {
    return new LogFile(path, openSync(path, FLAGS, MODE), options);
  }

  /** @param lines whole ones, as UTF-8. Resolves when they have been written, or dropped. */
  write(lines: Uint8Array): Promise<void> {
    const { maxWaitingBytes = MAX_WAITING_BYTES, onDrop } = this.#options;
    if (this.#isClosed || this.#waitingBytes + lines.length > maxWaitingBytes) {
      onDrop(countLines(lines));
      return Promise.resolve();
    }
    this.#waitingBytes += lines.length;
    return new Promise(resolve => {
      this.#queue.push({ bytes: lines, done: 0, over: resolve });
      if (!this.#isBusy) this.#writeNext();
    });
  }

  /**
   * Switches to the file that has the name now, and creates it if necessary. Rejects with the error of open(2); writing
   * then continues to the old file.
   */
  reopen(): Promise<void> {
    // if the file was renamed while it was being opened, this is the wrong one
    const begin = () => this.#openAnew();
    const opened = this.#reopening ? this.#reopening.then(begin, begin) : begin();
    this.#reopening = opened;
    return opened;
  }

  /** Writes the waiting lines when the process ends, without waiting for a full or busy disk. */
  flush(): void {
    // what is being written is left to that write
    const waiting = this.#queue.splice(this.#isBusy ? 1 : 0);
    try {
      for (const { bytes } of waiting) writeSync(this.#next ?? this.#descriptor, bytes);
    } catch {
      // there is nobody left to tell
    }
  }

  /** Resolves when everything has been written, or after `limitMs`; what is left is dropped then. */
  async end(limitMs: number): Promise<void> {
    if (this.#isBusy) {
      await new Promise<void>(resolve => {
        const limit = this.#options.clock.after(limitMs, resolve);
        this.#whenIdle.push(() => {
          limit.cancel();
          resolve();
        });
      });
    }
    this.#isClosed = true;
    if (this.#isBusy) this.#drop(this.#queue.splice(1));
    else closeQuietly(this.#descriptor);
  }

  #openAnew(): Promise<void> {
    return new Promise((resolve, reject) => {
      open(this.path, FLAGS, MODE, (error, descriptor) => {
        if (error) {
          reject(error);
          return;
        }
        if (this.#next !== undefined) closeQuietly(this.#next);
        this.#next = descriptor;
        if (!this.#isBusy) this.#changeFile();
        resolve();
      });
    });
  }

  #changeFile(): void {
    if (this.#next === undefined) return;
    closeQuietly(this.#descriptor);
    this.#descriptor = this.#next;
    this.#next = undefined;
  }

  #writeNext(): void {
    const [writing] = this.#queue;
    if (!writing) {
      this.#isBusy = false;
      if (this.#isClosed) closeQuietly(this.#descriptor);
      for (const idle of this.#whenIdle.splice(0)) idle();
      return;
    }
    this.#isBusy = true;
    const { bytes, done } = writing;
    write(this.#descriptor, bytes, done, bytes.length - done, null, (error, written) => {
      if (error) this.#failed(error, writing);
      else this.#wrote(written, writing);
    });
  }

  #wrote(bytes: number, writing: Writing): void {
    writing.done += bytes;
    this.#finishWritten(writing);
    if (this.#hasTrouble) {
      this.#hasTrouble = false;
      this.#options.onTrouble(undefined);
    }
    this.#writeNext();
  }

  #failed(error: Error, writing: Writing): void {
    const isSlowReader = errorCode(error) === 'EAGAIN';
    if (!isSlowReader && !this.#hasTrouble) {
      this.#hasTrouble = true;
      this.#options.onTrouble(error);
    }
    if (this.#next !== undefined) {
      this.#leaveTornLine(writing);
      this.#writeNext();
      return;
    }
    this.#options.clock.after(isSlowReader ? BUSY_RETRY_MS : RETRY_MS, () => {
      if (this.#isClosed) this.#drop(this.#queue.splice(0));
      this.#writeNext();
    });
  }

  /** The rest of a line must not begin the new file. */
  #leaveTornLine(writing: Writing): void {
    const { bytes, done } = writing;
    if (done > 0 && bytes[done - 1] !== NEWLINE) {
      writing.done = bytes.indexOf(NEWLINE, done) + 1;
      this.#options.onDrop(1);
    }
    this.#changeFile();
    this.#finishWritten(writing);
  }

  #finishWritten(writing: Writing): void {
    if (writing.done < writing.bytes.length) return;
    this.#queue.shift();
    this.#over(writing);
    this.#changeFile();
  }

  #drop(writings: readonly Writing[]): void {
    for (const writing of writings) {
      this.#options.onDrop(countLines(writing.bytes.subarray(writing.done)));
      this.#over(writing);
    }
  }

  #over({ bytes, over }: Writing): void {
    this.#waitingBytes -= bytes.length;
    over();
  }
}

function closeQuietly(descriptor: number): void {
  close(descriptor, () => undefined);
}
