/** Starts the configured embedded stores, each in its own thread. */
import type { GatewayConfig } from '../config/gateway-config.ts';
import {
  type StoreThread,
  type StoreThreadOptions,
  startStoreThread,
} from '../server/embedded-store-thread.ts';
import type { StoreReady, StoreSettings, WorkerSettings } from './thread-contracts.ts';
import { threadEntry } from './thread-entry.ts';

/** Running stores by the name of their backend. */
export type Stores = ReadonlyMap<string, StoreThread<StoreReady>>;

type Common = Pick<StoreThreadOptions<StoreSettings>, 'clock' | 'logger' | 'writeLog' | 'restarts'>;

/** Starts the stores one after the other; `sample` adds the sample bucket. @throws ThreadStartError */
export async function startStores(config: GatewayConfig, sample: boolean, common: Common): Promise<Stores> {
  const stores = new Map<string, StoreThread<StoreReady>>();
  for (const [name, backend] of Object.entries(config.backends)) {
    if (backend.type !== 'embedded') continue;
    const { directory, headerPrefix } = backend;
    const settings: StoreSettings = { name, directory, headerPrefix, logLevel: config.log.level, sample };
    const entry = threadEntry('store-thread');
    stores.set(name, await startStoreThread({ ...common, name: `store-${name}`, entry, settings }));
  }
  return stores;
}

/** The access data that workers need to reach the stores. */
export function accessTo(stores: Stores): WorkerSettings['stores'] {
  return new Map(
    Array.from(stores, ([name, { endpoint, credentials }]) => [name, { endpoint, credentials }]),
  );
}
