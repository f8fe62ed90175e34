import { createServer, type Server } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { LimitedLines } from '../base/limited-lines.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import { createIdentify } from './access/authenticate.ts';
import type { Account } from './access/caller.ts';
import type { DialectPrefix } from './protocol/dialect.ts';
import { handleRequest } from './request-handler.ts';
import { openStore, type StoreParts } from './store.ts';

export interface EmbeddedStoreOptions {
  /** Contains all data; created when missing. Only one store at a time can have it open. */
  readonly directory: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The dialect of responses to requests that do not show one. */
  readonly headerPrefix: DialectPrefix;
  readonly accounts: readonly Account[];
  /** The 12-digit account that owns the buckets. */
  readonly ownerId?: string;
  readonly region?: string;
  /** Buckets are also addressed as hosts below this domain. */
  readonly domain?: string;
  /** Whether customer-provided keys are accepted, as this store has plain connections only. Default: accept. */
  readonly customerKeysOverHttp?: 'accept' | 'refuse';
  /** How long a restore from the archive takes, in milliseconds. Default: 10 s. */
  readonly restoreDelayMs?: number;
  readonly clock: Clock;
  readonly logger?: Logger;
}

export interface EmbeddedStore {
  readonly url: string;
  readonly port: number;
  readonly store: StoreParts;
  /** Ends open connections and closes the directory. */
  close(): Promise<void>;
}

const DEFAULT_OWNER = '000000000000';
const DEFAULT_REGION = 'us-east-1';
/** Uploads have no time limit; requests without Host are refused with an error in the store's format. */
const serverOptions = { requestTimeout: 0, requireHostHeader: false, keepAliveTimeout: 65_000 };
const DEFAULT_RESTORE_DELAY_MS = 10_000;

/**
 * Serves a directory as S3 buckets on its own socket. Rejects with CatalogueError when the directory cannot be used,
 * and with the socket's error when the port cannot.
 */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { ownerId = DEFAULT_OWNER, region = DEFAULT_REGION, logger = silentLogger() } = options;
  const { restoreDelayMs = DEFAULT_RESTORE_DELAY_MS } = options;
  const store = await openStore({ ...options, ownerId, region, restoreDelayMs, logger });
  const authenticate = createIdentify({ accounts: options.accounts, region, clock: options.clock });
  const { customerKeysOverHttp = 'accept' } = options;
  const lines = new LimitedLines(logger, options.clock);
  const handler = { ...options, customerKeysOverHttp, store, authenticate, lines };
  const inFlight = new Set<Promise<void>>();
  const server = createServer(serverOptions, (message, response) => {
    const handled = handleRequest(handler, message, response).finally(() => inFlight.delete(handled));
    inFlight.add(handled);
  });
  try {
    const port = await listen(server, options.port, options.host);
    const host = options.host.includes(':') ? `[${options.host}]` : options.host;
    return { url: `http://${host}:${port}`, port, store, close: () => close(server, store, inFlight) };
  } catch (error) {
    store.catalogue.close();
    throw error;
  }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  server.off('error', reject);
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function close(server: Server, store: StoreParts, inFlight: ReadonlySet<Promise<void>>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
  await Promise.allSettled(inFlight);
  store.catalogue.close();
}
