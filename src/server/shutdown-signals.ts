import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';

/** What the process does on signals. */
interface SignalActions {
  /** Finishes running requests; the process exits with 0 once this resolves. */
  readonly drain: (signal: string) => Promise<void>;
  readonly exit: (code: number) => void;
  /** Reads the configuration again; undefined where there is no file to read. */
  readonly reload: (() => void) | undefined;
  /** Reopens the file of the access log. */
  readonly rotate: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The part of `process` that delivers signals. */
interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGUSR2', listener: () => void): unknown;
}

/** One Ctrl-C reaches a process twice when its parent also receives it and passes it on. */
const ECHO_MS = 100;

/**
 * SIGTERM and SIGINT drain and exit with 0; a second one exits at once with 1. SIGHUP reloads the configuration;
 * without a configuration file it means that the terminal was closed, and also drains and exits. SIGUSR2 reopens the
 * file of the access log.
 */
export function handleSignals(
  source: SignalSource,
  { drain, exit, reload, rotate, clock, logger }: SignalActions,
): void {
  let drainingSinceMs: number | undefined;
  const shutDown = (signal: string) => {
    if (drainingSinceMs !== undefined) {
      if (clock.monotonicMs() - drainingSinceMs < ECHO_MS) return;
      logger.warn({ signal }, 'second stop signal: running responses are cut off');
      exit(1);
      return;
    }
    drainingSinceMs = clock.monotonicMs();
    logger.info({ signal }, 'stop signal received: draining');
    drain(signal).then(
      () => exit(0),
      err => {
        logger.error({ err }, 'the drain failed');
        exit(1);
      },
    );
  };
  source.on('SIGTERM', () => shutDown('SIGTERM'));
  source.on('SIGINT', () => shutDown('SIGINT'));
  source.on('SIGHUP', () => {
    if (!reload) return shutDown('SIGHUP');
    logger.info({ signal: 'SIGHUP' }, 'reloading the configuration');
    reload();
  });
  source.on('SIGUSR2', rotate);
}
