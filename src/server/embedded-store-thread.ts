import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell } from '../base/metrics.ts';
import { SupervisedThread } from './supervised-thread.ts';

/** The credentials that an embedded store accepts. */
export interface StoreAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The start data of a store's thread; both sides use this type. */
export interface StoreStart<Settings> {
  /** 0 at the first start; for a replacement the port that workers already use. */
  readonly port: number;
  readonly credentials: StoreAccount;
  readonly settings: Settings;
}

export interface StoreThreadOptions<Settings> {
  /** The name of the thread. */
  readonly name: string;
  /** The module that the thread runs; it reports `ready` with the port that it listens on. */
  readonly entry: URL;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
  readonly restarts: CounterCell;
}

/** A running embedded store. This handle stays valid when its thread is replaced. */
export interface StoreThread<Ready> {
  readonly endpoint: string;
  readonly credentials: StoreAccount;
  /** What it reported at its first start. */
  readonly ready: Ready;
  stop(limitMs: number): Promise<void>;
}

/**
 * Starts an embedded store's thread and waits for its port. New random credentials are created at each start; only the
 * workers know them. @throws ThreadStartError
 */
export async function startStoreThread<Settings, Ready extends { readonly port: number }>(
  options: StoreThreadOptions<Settings>,
): Promise<StoreThread<Ready>> {
  const { settings, ...common } = options;
  const credentials = {
    accessKeyId: randomBytes(10).toString('hex'),
    secretAccessKey: randomBytes(30).toString('base64'),
  };
  let port = 0;
  const thread = new SupervisedThread<Ready>({
    ...common,
    data: (): StoreStart<Settings> => ({ port, credentials, settings }),
    onReady: info => {
      port = info.port;
    },
  });
  const ready = await thread.start();
  return {
    endpoint: `http://127.0.0.1:${ready.port}`,
    credentials,
    ready,
    stop: limitMs => thread.stop(limitMs),
  };
}
