import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { ExtraSockets } from './extra-sockets.ts';

export interface FallbackListenerOptions {
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
 * Listens on the workers' port while none of them takes connections, so that clients are told to come back instead of
 * being refused or left waiting. Of a worker that stands still it takes most of the connections, and would of one that
 * does not: it is closed as soon as one is up.
 */
export class FallbackListener {
  readonly #options: FallbackListenerOptions;
  #server: Server | undefined;
  #extra: ExtraSockets | undefined;
  #retry: Timer | undefined;

  constructor(options: FallbackListenerOptions) {
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
    const extra = new ExtraSockets(server, logger);
    server.listen({ host, port, reusePort: true, exclusive: true }, () => {
      logger.warn('no worker takes connections: requests are answered with 503 until one does');
      if (this.#server === server) extra.open(host, port);
    });
    this.#server = server;
    this.#extra = extra;
  }

  /** Takes no more connections; those that it has get their answer and end. */
  close(): void {
    this.#retry?.cancel();
    const server = this.#server;
    const extra = this.#extra;
    this.#server = undefined;
    extra?.close();
    // what the kernel has accepted by now is taken over in this turn of the event loop, and answered
    if (server) setImmediate(() => closeListener(server, extra));
  }

  #failed(server: Server, err: Error): void {
    if (this.#server !== server) return;
    const { clock, logger } = this.#options;
    logger.warn({ err }, 'no worker is up, and the fallback listener cannot bind yet; it tries again');
    this.#server = undefined;
    this.#retry = clock.after(LISTEN_RETRY_MS, () => this.open());
  }
}

/**
 * An HTTP server closes idle connections with its listener, and one whose first request is still on its way is idle; and
 * it limits the time of requests no more.
 */
function closeListener(server: Server, extra: ExtraSockets | undefined): void {
  server.once('close', () => void extra?.drained().then(() => server.close()));
  NetServer.prototype.close.call(server);
}
