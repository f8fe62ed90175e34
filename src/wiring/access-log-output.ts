/** Part of the supervisor's composition root: where the lines of the access log go. */
import type { Clock } from '../base/clock.ts';
import { errorCode } from '../base/error-code.ts';
import { LogFile } from '../base/log-file.ts';
import { countLines } from '../base/log-sinks.ts';
import type { Logger, LogSink } from '../base/logger.ts';
import type { CounterCell, Family, GaugeCell, Metrics } from '../base/metrics.ts';
import type { PreparedChange } from '../base/prepared-change.ts';
import { ConfigError } from '../config/config-error.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { unwritableLog } from '../config/log-file-check.ts';

const END_LIMIT_MS = 1_000;

interface AccessLogParts {
  /** Standard output. Secrets were removed from these lines before. */
  readonly standardOutput: LogSink;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function countDroppedLines(metrics: Metrics): CounterCell {
  return metrics
    .counter(
      'tidegate_log_dropped_lines_total',
      'Lines of the log and the access log that were not written, because the disk or the reader was too slow or full.',
    )
    .cell();
}

const noChange: PreparedChange = { apply: () => undefined, cancel: () => undefined };

/** Writes the access log of all workers to standard output or to its file. */
export class AccessLogOutput {
  readonly #parts: AccessLogParts;
  readonly #dropped: CounterCell;
  /** By its file, also where a reload has replaced that. */
  readonly #usable: Family<GaugeCell>;
  #file: LogFile | undefined;

  constructor(parts: AccessLogParts) {
    this.#parts = parts;
    this.#dropped = countDroppedLines(parts.metrics);
    this.#usable = parts.metrics.gauge(
      'tidegate_access_log_usable',
      'Whether the file of the access log, if it has one, can be written (1) or not (0).',
      ['file'],
    );
  }

  /** See `SupervisorControl.writeAccessLog`. */
  readonly write = (lines: Uint8Array): Promise<void> | undefined => {
    if (this.#file) return this.#file.write(lines);
    this.#parts.standardOutput.write(Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString());
    return undefined;
  };

  /** Counts lines for standard output for which there was no room. */
  readonly dropped = (lines: string): void => this.#dropped.add(countLines(lines));

  /**
   * Opens the file of `config`.
   *
   * @param source the file of the configuration
   * @throws ConfigError when it cannot be opened
   */
  prepare({ log: { access } }: GatewayConfig, source = 'the configuration'): PreparedChange {
    const path = access === false ? undefined : access.file;
    const before = this.#file;
    if (path === before?.path) return noChange;
    const next = path === undefined ? undefined : this.#open(path, source);
    return {
      apply: () => {
        this.#file = next;
        // nothing more is to be written to the one before
        for (const file of [before, next]) if (file) this.#usable.cell(file.path).set(1);
        void before?.end(END_LIMIT_MS);
      },
      cancel: () => void next?.end(0),
    };
  }

  /** Reopens the file after it was renamed. */
  rotate(): void {
    const { logger } = this.#parts;
    const file = this.#file;
    if (!file) {
      logger.info('the access log has no file to open anew');
      return;
    }
    file.reopen().then(
      () => logger.info({ file: file.path }, 'the file of the access log was opened anew'),
      err =>
        logger.error(
          { err, file: file.path },
          'the file of the access log cannot be opened: the old one goes on',
        ),
    );
  }

  /** Writes the remaining lines, as far as the disk accepts them. */
  async end(): Promise<void> {
    await this.#file?.end(END_LIMIT_MS);
  }

  flush(): void {
    this.#file?.flush();
  }

  #open(path: string, source: string): LogFile {
    const { clock, logger } = this.#parts;
    try {
      const file = LogFile.open(path, {
        clock,
        onDrop: lines => this.#dropped.add(lines),
        onTrouble: err => {
          if (err) logger.error({ err, file: path }, 'the access log cannot be written');
          else logger.info({ file: path }, 'the access log is written again');
          // of the last lines of a file that a reload has replaced nobody needs to be told
          if (this.#file === file) this.#usable.cell(path).set(err ? 0 : 1);
        },
      });
      return file;
    } catch (cause) {
      const why = cause instanceof Error ? (errorCode(cause) ?? cause.message) : String(cause);
      throw new ConfigError(source, [unwritableLog(path, why)], { cause });
    }
  }
}
