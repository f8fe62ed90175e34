/** Part of the supervisor's composition root: what a reload of the configuration changes, in which order. */
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { PreparedChange } from '../base/prepared-change.ts';
import type { GrowingRedactor } from '../base/redaction.ts';
import { keepFixed } from '../config/fixed-settings.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { largestBlockBytes } from '../config/largest-block.ts';
import type { CheckedFile } from '../config/load-config.ts';
import { secretsOf } from '../config/secrets.ts';
import type { CertificateWatch } from '../server/tls/certificate-watch.ts';
import type { AccessLogOutput } from './access-log-output.ts';
import type { Alerts } from './alerts.ts';
import type { BackendCredentials } from './credentials.ts';
import { type Stores, type StoreThreadParts, startMissingStores } from './embedded-stores.ts';
import type { EventsQueue } from './events-queue.ts';
import { Reload } from './reload.ts';
import type { RunningConfig } from './running-config.ts';
import type { Workers } from './workers.ts';

interface RunningParts extends StoreThreadParts {
  readonly running: RunningConfig;
  /** Reads the file again; undefined where there is none. @throws ConfigError */
  readonly read: (() => CheckedFile) | undefined;
  readonly stores: Stores;
  readonly workers: Pick<Workers, 'reconfigure'>;
  readonly alerts: Pick<Alerts, 'reconfigure'>;
  readonly eventsQueue: Pick<EventsQueue, 'use'>;
  readonly redactor: GrowingRedactor;
  readonly credentials: Pick<BackendCredentials, 'prepare' | 'missingOfReloads'>;
  readonly accessLog: Pick<AccessLogOutput, 'prepare'>;
  readonly certificates: Pick<CertificateWatch, 'prepare'>;
  /** The file of the configuration. */
  readonly file: string | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function createReload(parts: RunningParts): Reload {
  const {
    running,
    stores,
    workers,
    alerts,
    redactor,
    credentials,
    accessLog,
    certificates,
    eventsQueue,
    logger,
  } = parts;
  const blockLimitBytes = largestBlockBytes(running.current.buckets);
  const embedded = new Map<string, BackendConfig>();
  const noteEmbedded = ({ backends }: GatewayConfig) => {
    for (const [name, backend] of Object.entries(backends))
      if (backend.type === 'embedded' && stores.has(name)) embedded.set(name, backend);
  };
  noteEmbedded(running.current);
  return new Reload({
    ...parts,
    keepFixed: next => keepFixed(running.current, next, { blockLimitBytes, embedded }),
    async apply(next) {
      redactor.learn(secretsOf(next));
      const changes: PreparedChange[] = [accessLog.prepare(next, parts.file)];
      try {
        changes.push(certificates.prepare(next.listen));
        await startMissingStores(next, stores, parts);
        noteEmbedded(next);
        changes.push(await credentials.prepare(next));
        await workers.reconfigure(next);
      } catch (error) {
        for (const change of changes) change.cancel();
        throw error;
      }
      for (const change of changes) change.apply();
      eventsQueue.use(next);
      alerts.reconfigure(next.alerts);
      logger.level = next.log.level;
      return credentials.missingOfReloads();
    },
  });
}
