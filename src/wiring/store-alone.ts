/** The composition root of `tidegate store`: an embedded store without a gateway. */

import { systemClock } from '../base/clock.ts';
import { formatAddress, ListenError } from '../base/listen-error.ts';
import { descriptorSink, redactingSink } from '../base/log-sinks.ts';
import { createLogger } from '../base/logger.ts';
import { createRedactor } from '../base/redaction.ts';
import type { StoreAloneOptions } from '../cli/store-command.ts';
import { startEmbeddedStore } from '../embedded-store/embedded-store.ts';
import { seedSampleBucket } from '../embedded-store/sample/sample-bucket.ts';
import { handleSignals } from '../server/shutdown-signals.ts';

/** Resolves when the store is listening; it runs until the process ends. @throws ListenError when the port is in use */
export async function serveStoreAlone(request: StoreAloneOptions): Promise<void> {
  const { directory, host, port, headerPrefix, accessKeyId, secretAccessKey, sample } = request;
  const sink = redactingSink(descriptorSink(1), createRedactor([secretAccessKey]));
  process.once('exit', () => sink.flush());
  const logger = createLogger({ level: 'info', sink, fields: { thread: 'store' } });
  const running = await startEmbeddedStore({
    ...{ directory, host, port, headerPrefix, logger },
    accounts: [{ accessKeyId, secretAccessKey }],
    clock: systemClock,
  }).catch((error: unknown) => {
    throw isListenFailure(error) ? new ListenError(formatAddress(host, port), error) : error;
  });
  if (sample) await seedSampleBucket(running.store);
  handleSignals(process, {
    drain: () => running.close(),
    exit: code => process.exit(code),
    reload: () => logger.warn('the embedded store has no configuration that could be reloaded'),
    rotate: () => logger.warn('the embedded store has no access log'),
    clock: systemClock,
    logger,
  });
  logger.info({ store: running.url, directory, accessKeyId }, 'ready');
}

function isListenFailure(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}
