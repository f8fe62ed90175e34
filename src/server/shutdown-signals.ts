import type { Logger } from '../base/logger.ts';

/** What a process does at a signal. */
export interface SignalActions {
  /** Finishes what runs; the process ends with 0 when this has resolved. */
  readonly drain: () => Promise<void>;
  /** Called right before the process ends, whichever way. */
  readonly flush: () => void;
  readonly exit: (code: number) => void;
  readonly logger: Logger;
}

/** The part of `process` that signals arrive on. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: () => void): unknown;
}

/** SIGTERM and SIGINT drain and exit with 0, a second one exits at once with 1; SIGHUP changes nothing yet. */
export function handleSignals(source: SignalSource, { drain, flush, exit, logger }: SignalActions): void {
  let draining = false;
  const end = (code: number) => {
    flush();
    exit(code);
  };
  const shutDown = (signal: string) => {
    if (draining) {
      logger.warn({ signal }, 'told twice to stop: running responses are cut off');
      end(1);
      return;
    }
    draining = true;
    logger.info({ signal }, 'draining: no new connections, running responses finish');
    drain().then(
      () => end(0),
      err => {
        logger.error({ err }, 'the drain failed');
        end(1);
      },
    );
  };
  source.on('SIGTERM', () => shutDown('SIGTERM'));
  source.on('SIGINT', () => shutDown('SIGINT'));
  source.on('SIGHUP', () => logger.warn('reloading the configuration is not built yet; nothing has changed'));
}
