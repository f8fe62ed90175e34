import type { Clock } from '../../base/clock.ts';
import type { LogSink } from '../../base/logger.ts';
import type { Exchange } from '../request/exchange.ts';
import { CombinedLines } from './combined-line.ts';
import { JsonLines } from './json-line.ts';
import type { LineRedactor } from './log-text.ts';

export interface AccessLogOptions {
  readonly format: 'json' | 'combined';
  /** The share of requests that have a line, from 0 to 1; failures always have one. */
  readonly sample: number;
  /** The name of the thread, which is in every line of JSON. */
  readonly thread: string;
  readonly sink: LogSink;
  readonly redactor: LineRedactor;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** Writes one line per request. Secrets are removed when the line is made. */
export class AccessLog {
  readonly #sample: number;
  readonly #sink: LogSink;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #lines: JsonLines | CombinedLines;

  constructor({ format, sample, thread, sink, redactor, clock, random }: AccessLogOptions) {
    this.#sample = sample;
    this.#sink = sink;
    this.#clock = clock;
    this.#random = random;
    this.#lines = format === 'json' ? new JsonLines(thread, redactor) : new CombinedLines(redactor);
  }

  /** `exchange` is over. @param endMs when, on the monotonic clock */
  note(exchange: Exchange, endMs: number): void {
    const isFailure = exchange.status >= 500 || exchange.failure !== undefined;
    if (this.#sample < 1 && !isFailure && this.#random() >= this.#sample) return;
    const durationUs = Math.max(0, Math.round((endMs - exchange.startedMs) * 1000));
    this.#sink.write(this.#lines.line(exchange, this.#clock.nowMs(), durationUs));
  }
}
