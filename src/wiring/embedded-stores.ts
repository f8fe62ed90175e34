/** Starts the configured embedded stores, each in its own thread. */
import type { GatewayConfig } from '../config/gateway-config.ts';
import { placeOf } from '../config/place-names.ts';
import {
  type StoreThread,
  type StoreThreadOptions,
  startStoreThread,
} from '../server/embedded-store-thread.ts';
import { ThreadStartError } from '../server/supervised-thread.ts';
import type { StoreReady, StoreSettings, WorkerSettings } from './thread-contracts.ts';
import { threadEntry } from './thread-entry.ts';

/** Running stores by the name of their backend. */
export type Stores = Map<string, StoreThread<StoreReady>>;

export type StoreThreadParts = Pick<
  StoreThreadOptions<StoreSettings>,
  'clock' | 'logger' | 'writeLog' | 'restarts'
>;

/** Starts the stores one after the other, in the default start with the sample bucket. @throws ThreadStartError */
export async function startStores(
  config: GatewayConfig,
  isDefaultStart: boolean,
  start: StoreThreadParts,
): Promise<Stores> {
  const stores: Stores = new Map();
  await startMissingStores(config, stores, start, isDefaultStart);
  return stores;
}

/** Starts the stores that a reload has added. @throws ThreadStartError */
export async function startMissingStores(
  config: GatewayConfig,
  stores: Stores,
  { clock, logger, writeLog, restarts }: StoreThreadParts,
  isDefaultStart = false,
): Promise<void> {
  const common = { clock, logger, writeLog, restarts };
  for (const [name, backend] of Object.entries(config.backends)) {
    if (backend.type !== 'embedded' || stores.has(name)) continue;
    const { directory, headerPrefix } = backend;
    const { level: logLevel } = config.log;
    const settings: StoreSettings = { name, directory, headerPrefix, logLevel, sample: isDefaultStart };
    const entry = threadEntry('store-thread');
    const started = startStoreThread<StoreSettings, StoreReady>({
      ...common,
      name: `store-${name}`,
      entry,
      settings,
    });
    stores.set(name, await started.catch(cause => Promise.reject(startError(name, cause, isDefaultStart))));
  }
}

function startError(name: string, cause: unknown, isDefaultStart: boolean): ThreadStartError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ThreadStartError(`${placeOf(`backends.${name}.directory`, isDefaultStart)}: ${why}`, { cause });
}

/** The access data that workers need to reach the stores. */
export function accessTo(stores: Stores): WorkerSettings['stores'] {
  return new Map(
    Array.from(stores, ([name, { endpoint, credentials }]) => [name, { endpoint, credentials }]),
  );
}
