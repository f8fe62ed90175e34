/** Part of the composition root of `tidegate check`: builds what a start builds, without ports, threads and files. */
import { availableParallelism } from 'node:os';
import { remoteKeys } from '../alerts/callbacks/bearer-token.ts';
import { createRules } from '../alerts/rules/rule-table.ts';
import { allocateBreakers } from '../backend/breaker/breaker-word.ts';
import { allocateOutages } from '../backend/outage-log.ts';
import { systemClock } from '../base/clock.ts';
import { createLogger } from '../base/logger.ts';
import { Metrics } from '../base/metrics.ts';
import { GrowingRedactor } from '../base/redaction.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { countWorkers } from '../server/worker-count.ts';
import { BACKEND_PLACES, BackendPlaces } from './backend-places.ts';
import { allocateCache } from './cache.ts';
import { cardLinks } from './card-links.ts';
import { WorkerCredentials } from './worker-credentials.ts';
import { WorkerGateway } from './worker-gateway.ts';

/**
 * Builds the parts of a gateway from `config` and drops them, so that values that no part accepts are found before a
 * start. Memory is reserved, not used.
 *
 * @throws what the start would fail with
 */
export function buildOnce(config: GatewayConfig): void {
  const { count } = countWorkers(config.workers, availableParallelism(), process.platform);
  const { shared, ...records } = allocateCache(config, count, false);
  const silent = { write: () => undefined, flush: () => undefined };
  new WorkerGateway({
    settings: {
      ...{ config, revision: 0, places: new BackendPlaces().prepare(config.backends, new Map()).places },
      ...records,
      stores: placeholders(config),
      credentials: new Map(),
      listingSecret: '',
      outages: allocateOutages(BACKEND_PLACES, systemClock),
      breakers: allocateBreakers(BACKEND_PLACES),
      proxies: new Map(),
      files: undefined,
    },
    credentials: new WorkerCredentials(() => undefined),
    worker: 0,
    memory: shared,
    metrics: new Metrics(),
    logger: createLogger({ level: config.log.level, sink: silent, fields: {} }),
    accessLogSink: silent,
    redactor: new GrowingRedactor(),
    clock: systemClock,
    onArchivedRead: () => undefined,
    isProbing: false,
    tracing: undefined,
  });
  createRules(config.alerts.rules);
  const { callbacks } = config.alerts;
  if (callbacks) remoteKeys(callbacks.token.keys);
  const links = cardLinks(config.alerts, {
    adminUrl: 'http://127.0.0.1:9090',
    callbackOrigin: callbacks?.url,
    canRestore: callbacks?.restore ?? false,
    signAction: () => '',
  });
  links.runbookUrl?.('backendErrors');
  links.objectUrl?.({ bucket: 'b', key: 'k' });
}

/** The embedded stores, which are not running. */
function placeholders({ backends }: GatewayConfig) {
  const access = {
    endpoint: 'http://127.0.0.1:1',
    credentials: { accessKeyId: 'check', secretAccessKey: 'check' },
  };
  return new Map(Object.keys(backends).map(name => [name, access]));
}
