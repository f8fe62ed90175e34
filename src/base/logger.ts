import { pino } from 'pino';
import { type Clock, systemClock } from './clock.ts';

/** Writes structured lines: `logger.warn({ backend }, 'the backend does not answer')`. */
export type Logger = pino.Logger;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Destination of finished lines. Each line ends with a newline; one call may pass several. */
export interface LogSink {
  write(lines: string): void;
  /** Writes out buffered lines before the thread or process ends. */
  flush(): void;
}

interface LoggerOptions {
  readonly level: LogLevel;
  readonly sink: LogSink;
  /** Fields of every line, such as `{ thread: 'worker-0' }`. */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly clock?: Clock;
}

/** A logger that writes JSON lines with `level`, `time` (ISO 8601), the fields and `msg`. */
export function createLogger({ level, sink, fields = {}, clock = systemClock }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { ...fields },
      formatters: { level: label => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
    },
    { write: line => sink.write(line) },
  );
}

/** A logger that writes nothing. */
export function silentLogger(): Logger {
  return createLogger({ level: 'silent', sink: { write: () => undefined, flush: () => undefined } });
}
