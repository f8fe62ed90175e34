/** The composition root of an embedded store's thread. */

import { systemClock } from './base/clock.ts';
import { createLogger } from './base/logger.ts';
import { startEmbeddedStore } from './embedded-store/embedded-store.ts';
import { seedSampleBucket } from './embedded-store/sample/sample-bucket.ts';
import type { StoreStart } from './server/embedded-store-thread.ts';
import { joinSupervisor } from './server/joined-thread.ts';
import type { StoreReady, StoreSettings } from './wiring/thread-contracts.ts';

const thread = joinSupervisor();
const { port, credentials, settings } = thread.data as StoreStart<StoreSettings>;
const store = await startEmbeddedStore({
  directory: settings.directory,
  host: '127.0.0.1',
  port,
  headerPrefix: settings.headerPrefix,
  accounts: [credentials],
  clock: systemClock,
  logger: createLogger({
    level: settings.logLevel,
    sink: thread.logSink,
    fields: { thread: `store-${settings.name}` },
  }),
});
thread.onDrain(() => store.close());
const ready: StoreReady = {
  port: store.port,
  sample: settings.sample ? await seedSampleBucket(store.store) : undefined,
};
thread.ready(ready);
