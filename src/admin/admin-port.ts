import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemClock } from '../base/clock.ts';
import { formatAddress, ListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';
import { closeIfLast, parseTakenBodies } from '../transport/request-bodies.ts';
import { ServedRequest } from '../transport/served-request.ts';
import type { AdminRoute } from './admin-route.ts';
import { type AdminAccess, createGuard } from './guard.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';
import { createRouter, type Router } from './router.ts';

export interface AdminAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

export interface AdminService {
  /** Read for each request. */
  readonly access: () => AdminAccess;
  readonly routes: readonly AdminRoute[];
  readonly logger: Logger;
}

type AdminServer = Server<typeof ServedRequest>;

const MAX_CONNECTIONS = 256;
/** Whoever has sent no request by then makes room for others. */
const headTimes = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 1_000 };
/** Further requests pipelined on one connection are answered with 503. */
const MAX_REQUESTS_PER_CONNECTION = 100;

/**
 * The admin port. It is bound before its routes exist, because cards and pages link to its address; requests that arrive
 * in between wait.
 */
export class AdminPort {
  readonly host: string;
  readonly port: number;
  readonly #server: AdminServer;
  readonly #router: PromiseWithResolvers<Router>;

  private constructor(host: string, port: number, server: AdminServer, router: PromiseWithResolvers<Router>) {
    this.host = host;
    this.port = port;
    this.#server = server;
    this.#router = router;
  }

  /** @throws ListenError when the address cannot be bound */
  static async open({ host, port }: AdminAddress, clock = systemClock): Promise<AdminPort> {
    const router = Promise.withResolvers<Router>();
    // who names no host is told so as all others are
    const options = { ...headTimes, IncomingMessage: ServedRequest, requireHostHeader: false };
    const server: AdminServer = createServer(options);
    const lastAnswers = new WeakMap<Duplex, ServerResponse>();
    const take = (request: ServedRequest, response: ServerResponse) => {
      lastAnswers.set(request.socket, response);
      closeIfLast(request, response);
      const answer = () => void router.promise.then(({ handle }) => handle(request, response));
      // those that are pipelined would all be worked on at once; node:http keeps them, and drops them with the connection
      if (response.socket) answer();
      else response.once('socket', answer);
    };
    server.on('request', take);
    // no expectation but 100-continue has to be met (RFC 9110 §10.1.1)
    server.on('checkExpectation', take);
    server.on('clientError', (error, socket) =>
      refuseUnreadable(error, socket, lastAnswers.get(socket), clock.nowMs()),
    );
    let { takesBody }: Pick<Router, 'takesBody'> = { takesBody: ({ method }) => method === 'POST' };
    void router.promise.then(ready => {
      takesBody = ready.takesBody;
    });
    parseTakenBodies(server, request => takesBody(request));
    // serving admin requests must not keep the supervisor from its other work
    server.maxConnections = MAX_CONNECTIONS;
    server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', error => reject(new ListenError(formatAddress(host, port), error)));
    server.listen({ host, port, exclusive: true }, resolve);
    await promise;
    const address = server.address();
    const bound = typeof address === 'object' && address ? address.port : port;
    return new AdminPort(host, bound, server, router);
  }

  /** Starts to answer requests; called once. */
  serve({ access, routes, logger }: AdminService): void {
    this.#router.resolve(createRouter({ routes, logger, guard: createGuard(this.host, access) }));
  }

  close(): Promise<void> {
    return new Promise(closed => {
      this.#server.close(() => closed());
      this.#server.closeAllConnections();
    });
  }
}
