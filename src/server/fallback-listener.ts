import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import { LimitedLines } from '../base/limited-lines.ts';
import type { Logger } from '../base/logger.ts';
import { ServedRequest } from '../transport/served-request.ts';
import { formatListenAddress, type ListenAddress } from './listen-address.ts';
import { type ListeningSocket, openSockets } from './listening-socket.ts';
import { ProxiedConnections } from './proxied-connections.ts';
import { type RefusalOptions, type RenderUnreadable, refuseBadRequest } from './refuse-unreadable.ts';
import { TlsAcceptor } from './tls/tls-acceptor.ts';

interface FallbackListenerOptions {
  /** The addresses that no worker listens on, with their current certificates. Ports are shared with the workers. */
  readonly addresses: () => readonly ListenAddress[];
  /** Answers every request, without reading more of it than node:http already has. */
  readonly answer: RequestListener;
  /** Renders the answer to malformed requests. */
  readonly answerUnreadable: RenderUnreadable;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a client may hold a connection without completing a request. */
const REQUEST_LIMIT_MS = 5_000;
const CHECK_INTERVAL_MS = 1_000;
const LISTEN_RETRY_MS = 20;

/**
 * Listens on addresses of the workers while no worker accepts connections there, so that clients get a 503 with
 * Retry-After instead of a refused or hanging connection. It takes most of the connections from a blocked worker, and
 * would from a healthy one too, so it is closed as soon as a worker is up.
 */
export class FallbackListener {
  readonly #options: FallbackListenerOptions;
  readonly #refusing: RefusalOptions;
  #server: Server | undefined;
  #sockets: readonly ListeningSocket[] = [];
  #retry: Timer | undefined;

  constructor(options: FallbackListenerOptions) {
    const { answerUnreadable, logger, clock } = options;
    this.#options = options;
    this.#refusing = {
      answerUnreadable: why => answerUnreadable(why, clock.nowMs()),
      ...{ logger, lines: new LimitedLines(logger, clock) },
    };
  }

  open(): void {
    if (this.#server || this.#options.addresses().length === 0) return;
    const { answer } = this.#options;
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
    server.on('clientError', (error, socket) => refuseBadRequest(error, socket, this.#refusing));
    // without a socket of its own it would not enforce its time limits
    server.emit('listening');
    this.#server = server;
    void this.#listen(server);
  }

  /** Accepts no more connections; existing ones are answered and closed. */
  close(): void {
    this.#retry?.cancel();
    const server = this.#server;
    const sockets = this.#sockets;
    this.#server = undefined;
    this.#sockets = [];
    if (server) closeListener(server, sockets);
  }

  /** Never rejects: a failed listener must not end the supervisor. */
  async #listen(server: Server): Promise<void> {
    const { addresses, clock, logger } = this.#options;
    const accept = (address: ListenAddress) => {
      const proxied = new ProxiedConnections(address, { clock, logger }, this.#entranceOf(address, server));
      return (socket: Socket) => proxied.accept(socket);
    };
    try {
      const sockets = await openSockets(addresses(), { reusePort: true, accept, clock, logger });
      if (this.#server !== server) {
        closeListener(server, sockets);
        return;
      }
      logger.warn(
        { addresses: sockets.map(({ address }) => formatListenAddress(address)) },
        'no worker takes connections: requests are answered with 503 until one does',
      );
      this.#sockets = sockets;
      for (const socket of sockets) socket.cover(true);
    } catch (err) {
      this.#failed(server, err);
    }
  }

  #entranceOf(address: ListenAddress, server: Server): (socket: Socket) => void {
    const serve = (socket: Socket) => void server.emit('connection', socket);
    if (address.kind === 'unix' || !address.tls) return serve;
    // one protocol is enough for refusals
    const material = { ...address.tls, http2: false };
    const acceptor = new TlsAcceptor({
      ...{ ...this.#refusing, material },
      onSecure: ({ secure }) => serve(secure),
    });
    return socket => acceptor.accept(socket);
  }

  #failed(server: Server, err: unknown): void {
    if (this.#server !== server) return;
    const { clock, logger } = this.#options;
    logger.warn({ err }, 'no worker is up, and the fallback listener cannot bind yet; retrying');
    this.#server = undefined;
    this.#retry = clock.after(LISTEN_RETRY_MS, () => this.open());
  }
}

/**
 * Server.close() of node:http would also close idle connections, including those whose first request is still arriving,
 * and stop enforcing request timeouts. So only the sockets are closed at first.
 */
function closeListener(server: Server, sockets: readonly ListeningSocket[]): void {
  for (const socket of sockets) socket.close();
  void Promise.all(sockets.map(socket => socket.drained())).then(() => server.close());
}
