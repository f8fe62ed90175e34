import { systemClock } from '../../../src/base/clock.ts';
import { startEmbeddedStore } from '../../../src/embedded-store/embedded-store.ts';
import { OWNER } from './store-under-test.ts';

/** A process that is nothing but a store, to be killed: `node store-process.ts DIRECTORY` tells its URL. */
const store = await startEmbeddedStore({
  directory: process.argv[2] ?? '',
  host: '127.0.0.1',
  port: 0,
  headerPrefix: 'x-amz-',
  accounts: [OWNER],
  clock: systemClock,
});
process.stdout.write(`${store.url}\n`);
