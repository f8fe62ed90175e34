import { createServer } from 'node:http';
import { ListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';
import type { AdminRoute } from './admin-route.ts';
import { createGuard } from './guard.ts';
import { createRouter } from './router.ts';

export interface AdminServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly names: readonly string[];
  readonly token: string | undefined;
  readonly routes: readonly AdminRoute[];
  readonly logger: Logger;
}

/** The listening admin port. */
export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 256;
/** Further requests pipelined on one connection are answered with 503. */
const MAX_REQUESTS_PER_CONNECTION = 100;

/** @throws ListenError when the address cannot be bound */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { routes, logger } = options;
  const server = createServer(createRouter({ routes, logger, guard: createGuard(options) }));
  // serving admin requests must not keep the supervisor from its other work
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', error => reject(new ListenError(options.host, options.port, error)));
  server.listen({ host: options.host, port: options.port, exclusive: true }, resolve);
  await promise;
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    close: () =>
      new Promise(closed => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
