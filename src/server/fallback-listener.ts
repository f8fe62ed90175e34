import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { ServedRequest } from '../transport/served-request.ts';
import { onceAccepted } from './accept-queue.ts';
import { ExtraSockets } from './extra-sockets.ts';
import { type AnswerUnreadable, refuseBadRequest } from './refuse-unreadable.ts';

interface FallbackListenerOptions {
  readonly host: string;
  /** The workers' port, which is shared with them. */
  readonly port: number;
  /** Answers every request, without reading more of it than node:http already has. */
  readonly answer: RequestListener;
  /** Renders the answer to malformed requests. */
  readonly answerUnreadable: AnswerUnreadable;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a client may hold a connection without completing a request. */
const REQUEST_LIMIT_MS = 5_000;
const CHECK_INTERVAL_MS = 1_000;
const LISTEN_RETRY_MS = 20;

/**
 * Listens on the workers' port while no worker accepts connections, so that clients get a 503 with Retry-After instead
 * of a refused or hanging connection. It takes most of the connections from a blocked worker, and would from a healthy
 * one too, so it is closed as soon as a worker is up.
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
    const { host, port, answer, answerUnreadable, clock, logger } = this.#options;
    const server = createServer(
      {
        headersTimeout: REQUEST_LIMIT_MS,
        requestTimeout: REQUEST_LIMIT_MS,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        noDelay: true,
        requireHostHeader: false,
        IncomingMessage: ServedRequest,
      },
      answer,
    );
    // what node:http would answer itself, without ids and body
    server.on('checkContinue', answer);
    server.on('checkExpectation', answer);
    server.on('clientError', (error, socket) =>
      refuseBadRequest(error, socket, { answerUnreadable, logger }),
    );
    // this handler stays attached: a failed listener must not end the supervisor
    server.on('error', err => this.#failed(server, err));
    const extra = new ExtraSockets(server, logger, clock);
    server.listen({ host, port, reusePort: true, exclusive: true }, () => {
      logger.warn('no worker takes connections: requests are answered with 503 until one does');
      if (this.#server === server) extra.open(host, port);
    });
    this.#server = server;
    this.#extra = extra;
  }

  /** Accepts no more connections; existing ones are answered and closed. */
  close(): void {
    this.#retry?.cancel();
    const server = this.#server;
    const extra = this.#extra;
    this.#server = undefined;
    extra?.close();
    if (server) onceAccepted(server, this.#options, () => closeListener(server, extra));
  }

  #failed(server: Server, err: Error): void {
    if (this.#server !== server) return;
    const { clock, logger } = this.#options;
    logger.warn({ err }, 'no worker is up, and the fallback listener cannot bind yet; retrying');
    this.#server = undefined;
    this.#retry = clock.after(LISTEN_RETRY_MS, () => this.open());
  }
}

/**
 * Server.close() of node:http would also close idle connections, including those whose first request is still arriving,
 * and stop enforcing request timeouts. So only the socket is closed at first.
 */
function closeListener(server: Server, extra: ExtraSockets | undefined): void {
  server.once('close', () => void extra?.drained().then(() => server.close()));
  NetServer.prototype.close.call(server);
}
