import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';

export interface StandInOptions {
  readonly host: string;
  /** The workers' port; it is shared with them. */
  readonly port: number;
  /** Answers every request, and reads nothing of it but what node:http has read. */
  readonly answer: RequestListener;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a client that sends no request may hold a connection for. */
const REQUEST_LIMIT_MS = 5_000;
const CHECK_INTERVAL_MS = 1_000;
const LISTEN_RETRY_MS = 20;

/**
 * Listens on the workers' port while none of them does, so that clients are told to come back instead of being refused
 * a connection. Beside a worker it would take a part of the connections: it is closed as soon as one is up.
 */
export class StandIn {
  readonly #options: StandInOptions;
  #server: Server | undefined;
  #retry: Timer | undefined;

  constructor(options: StandInOptions) {
    this.#options = options;
  }

  open(): void {
    if (this.#server) return;
    const { host, port, answer, logger } = this.#options;
    const server = createServer(
      {
        headersTimeout: REQUEST_LIMIT_MS,
        requestTimeout: REQUEST_LIMIT_MS,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        noDelay: true,
      },
      answer,
    );
    // it stays: a listener that fails is no reason for the supervisor to end
    server.on('error', err => this.#failed(server, err));
    server.listen({ host, port, reusePort: true, exclusive: true }, () => {
      logger.warn('no worker is up: requests are answered with 503 until one is');
    });
    this.#server = server;
  }

  /** Takes no more connections; those that it has get their answer and end. */
  close(): void {
    this.#retry?.cancel();
    const server = this.#server;
    this.#server = undefined;
    // what the kernel has accepted by now is taken over in this turn of the event loop, and answered
    if (server) setImmediate(() => closeListener(server));
  }

  #failed(server: Server, err: Error): void {
    if (this.#server !== server) return;
    const { clock, logger } = this.#options;
    logger.warn({ err }, 'no worker is up, and the fallback listener cannot bind yet; it tries again');
    this.#server = undefined;
    this.#retry = clock.after(LISTEN_RETRY_MS, () => this.open());
  }
}

/** An HTTP server closes idle connections with its listener, and one whose first request is still on its way is idle. */
function closeListener(server: Server): void {
  server.once('close', () => server.close());
  NetServer.prototype.close.call(server);
}
