import type { Logger } from '../base/logger.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { type FileShares, openFileLimit, shareFiles } from '../server/open-files.ts';
import { EMBEDDED_STORE_CONNECTIONS } from './thread-contracts.ts';

/**
 * What the limit of open files leaves to each worker. An embedded store also has the other ends of its connections and
 * files open.
 */
export function filesOfWorkers(
  { backends }: GatewayConfig,
  workers: number,
  logger: Logger,
): FileShares | undefined {
  const limit = openFileLimit();
  if (limit === undefined) return undefined;
  const filesOf = (backend: BackendConfig) =>
    backend.type !== 'embedded' ? backend.connections : 3 * EMBEDDED_STORE_CONNECTIONS;
  const perWorker = Object.values(backends).reduce((sum, backend) => sum + filesOf(backend), 0);
  const shares = shareFiles(limit, perWorker * workers, workers);
  if (shares.storeShare < 1) {
    logger.warn(
      { openFiles: limit, share: shares.storeShare },
      'the limit of open files allows only a part of the connections to stores (raise it with ulimit -n)',
    );
  }
  return shares;
}
