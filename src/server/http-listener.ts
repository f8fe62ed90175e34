import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '../base/clock.ts';
import { LimitedLines } from '../base/limited-lines.ts';
import type { Logger } from '../base/logger.ts';
import type { UnreadableRequest } from '../http/unreadable-request.ts';
import {
  closeIfLast,
  failBody,
  parseTakenBodies,
  type TakesBody,
  takesNoBody,
} from '../transport/request-bodies.ts';
import { ServedRequest } from '../transport/served-request.ts';
import { atTurnEnd } from '../transport/turn-end.ts';
import { isAboutRequest } from '../transport/unreadable.ts';
import type { ClientLimits } from './client-limits.ts';
import { ConnectionLimiter, type ConnectionLimiterOptions, type Entrance } from './connection-limiter.ts';
import { watchForDepartures } from './departed-clients.ts';
import { drain, GRACE_MS } from './drain.ts';
import { StreamServer } from './h2/stream-server.ts';
import { closeIdleConnections } from './idle-connections.ts';
import { formatListenAddress, type ListenAddress, type ProxiesByAddress } from './listen-address.ts';
import { openSockets } from './listening-socket.ts';
import { OpenConnections } from './open-connections.ts';
import { Pipelining } from './pipelining.ts';
import { ProxiedConnections, type ProxiedOptions } from './proxied-connections.ts';
import {
  type AnswerUnreadable,
  answerPlainly,
  type RefusalOptions,
  type RenderUnreadable,
  refuseBadRequest,
  refuseConnection,
  refuseSlow,
  refuseTunnel,
} from './refuse-unreadable.ts';
import type { RequestHandler } from './request-handler.ts';
import { watchSenders } from './slow-senders.ts';
import { TlsAcceptor } from './tls/tls-acceptor.ts';

export interface HttpListenerOptions {
  readonly addresses: readonly ListenAddress[];
  /** Whether other threads listen on the same ports (SO_REUSEPORT). */
  readonly reusePort: boolean;
  readonly handle: RequestHandler;
  /**
   * Which requests have their bodies read by `handle`, which also calls `letContinue`; none when left out. Other bodies
   * are not parsed.
   */
  readonly takesBody?: TakesBody | undefined;
  /**
   * Renders the answer to malformed requests; without it they get a bare status. With it, requests without the Host
   * header that RFC 9112 §3.2 requires also reach the handler, so that all are refused in the same format.
   */
  readonly answerUnreadable?: RenderUnreadable | undefined;
  readonly logger: Logger;
  readonly limits: ClientLimits;
  /** The number of connections that the limit of open files allows; unlimited when left out. */
  readonly room?: Pick<ConnectionLimiterOptions, 'connections' | 'clock'> | undefined;
  /** Counts what is refused before it is a request. */
  readonly onRefused?: ((why: UnreadableRequest) => void) | undefined;
  readonly onProxyRefusal?: ProxiedOptions['onProxyRefusal'];
  /** For draining; the system's when left out. */
  readonly clock?: Clock | undefined;
}

/** A listening HTTP server. */
export interface HttpListener {
  /** The port of the first TCP address, 0 without one. */
  readonly port: number;
  /** Whether to also take connections meant for another listener on the same ports, as far as the platform allows. */
  cover(isCovering: boolean): void;
  /** Uses the certificates of these addresses for new connections. */
  useCertificates(addresses: readonly ListenAddress[]): void;
  /** Whose word on clients counts, for new connections of the addresses that are named. */
  trust(proxies: ProxiesByAddress): void;
  /**
   * Changes the limits, all but `headersBytes`; what is in use beyond them stays.
   *
   * @param connections as in `room`
   */
  limit(limits: ClientLimits, connections: number | undefined): void;
  /** Soon accepts no more connections, lets running responses finish for up to `limitMs`, then closes all. */
  drain(limitMs: number): Promise<void>;
}

const DEPARTURE_STEP_MS = 1_000;

/** How often node:http looks for heads that have not come, at least. */
const HEAD_CHECK_MS = 1_000;

/** @throws ListenError when an address cannot be bound */
export async function listenHttp(options: HttpListenerOptions): Promise<HttpListener> {
  const { logger, limits, clock = systemClock, onRefused = () => undefined } = options;
  const answerUnreadable: AnswerUnreadable = why => {
    onRefused(why);
    return (options.answerUnreadable ?? answerPlainly)(why, clock.nowMs());
  };
  const refusing = { logger, answerUnreadable, lines: new LimitedLines(logger, clock) };
  let isDraining = false;
  const serve: RequestHandler = (request, response) => {
    if (isDraining && !pipelining.hasQueued(request.socket)) sayClose(request, response);
    if (request.method === 'CONNECT') refuseTunnel(request.socket, refusing);
    else options.handle(request, response);
  };
  const pipelining = new Pipelining(serve, limits);
  const handle: Handler = (request, response) => {
    // parsed behind the last answer of the connection (RFC 9112 §9.6)
    if (request.socket.writableEnded) return;
    closeIfLast(request, response);
    // a response has its socket when no earlier one on the connection is pending
    if (!response.socket) pipelining.enqueue(request, response);
    else if (isDraining) pipelining.handleSoon(request, response);
    else serve(request, response);
  };
  const server = createListenerServer(limits, options.answerUnreadable === undefined);
  const { takesBody = takesNoBody } = options;
  parseTakenBodies(server, takesBody);
  takeRequests(server, handle, takesBody);
  refuseUnreadable(server, pipelining, refusing);
  const connections = new OpenConnections(limits);
  const idle = closeIdleConnections(connections, limits.timeouts.idleMs);
  const watch = watchSenders(connections, limits, socket => refuseSlow(socket, refusing));
  const departures = watchForDepartures(connections, DEPARTURE_STEP_MS);
  const answerCrowded = () => answerUnreadable('too-many-connections').text;
  const find = (socket: Socket) => connections.find(socket);
  const room = options.room && new ConnectionLimiter({ ...options.room, find, answerCrowded, logger });
  const plain: Entrance = {
    isSecure: false,
    serve: socket => {
      server.emit('connection', socket);
      if (!connections.add(socket, 'http/1.1')) refuseConnection(socket, refusing);
    },
  };
  const streams = new StreamServer({ ...refusing, takesBody, limits, handle: options.handle });
  const acceptors = new Map<string, TlsAcceptor>();
  const entranceOf = (address: ListenAddress): Entrance => {
    if (address.kind === 'unix' || !address.tls) return plain;
    const acceptor = new TlsAcceptor({
      ...{ material: address.tls, ...refusing },
      onSecure: connection => {
        const open = connections.secured(connection);
        if (!open) return;
        if (connection.protocol === 'h2') streams.accept(open, connection.secure);
        else server.emit('connection', connection.secure);
      },
    });
    acceptors.set(formatListenAddress(address), acceptor);
    return {
      isSecure: true,
      serve: socket => {
        if (connections.add(socket, undefined)) {
          acceptor.accept(socket);
          return;
        }
        onRefused('too-many-connections');
        socket.destroy();
      },
    };
  };
  const proxied = new Map<string, ProxiedConnections>();
  const accept = (address: ListenAddress) => {
    const entrance = entranceOf(address);
    const serve = (socket: Socket) => (room ? room.accept(socket, entrance) : entrance.serve(socket));
    const { onProxyRefusal } = options;
    const through = new ProxiedConnections(address, { clock, logger, onProxyRefusal }, serve);
    proxied.set(formatListenAddress(address), through);
    return (socket: Socket) => through.accept(socket);
  };
  const { addresses, reusePort } = options;
  const sockets = await openSockets(addresses, { reusePort, accept, clock, logger });
  const port =
    sockets.map(({ address }) => (address.kind === 'tcp' ? address.port : 0)).find(each => each > 0) ?? 0;
  return {
    port,
    cover: isCovering => {
      for (const socket of sockets) socket.cover(isCovering);
    },
    useCertificates: addresses => {
      for (const address of addresses) {
        if (address.kind === 'tcp' && address.tls)
          acceptors.get(formatListenAddress(address))?.update(address.tls);
      }
    },
    trust: proxies => {
      for (const [address, settings] of proxies) proxied.get(address)?.trust(settings);
    },
    limit: (next, places) => {
      if (places !== undefined) room?.limit(places);
      pipelining.limit(next);
      connections.limit(next);
      streams.limit(next);
      server.headersTimeout = next.timeouts.headersMs;
      idle.limit(next.timeouts.idleMs);
      watch.limit(next);
    },
    drain: async limitMs => {
      isDraining = true;
      clock.after(Math.min(GRACE_MS, limitMs / 2), () => streams.closeSessions());
      room?.close();
      const cutOff = () => {
        room?.cutOff();
        for (const { socket } of connections) socket.destroy();
      };
      await drain({ server, sockets, cutOff, clock }, limitMs);
      idle.stop();
      watch.stop();
      departures.stop();
      streams.stop();
    },
  };
}

function createListenerServer(
  { headersBytes, timeouts: { headersMs } }: ClientLimits,
  requireHostHeader: boolean,
): ListenerServer {
  const server: ListenerServer = createServer({
    IncomingMessage: ServedRequest,
    maxHeaderSize: headersBytes,
    headersTimeout: headersMs,
    // it cannot be changed: a reload may shorten the timeout
    connectionsCheckingInterval: Math.min(headersMs / 4, HEAD_CHECK_MS),
    // an upload may take long as long as data arrives; slow-senders.ts enforces the rate
    requestTimeout: 0,
    // node:http would set a timer per request; idle-connections.ts uses one per server
    keepAliveTimeout: 0,
    requireHostHeader,
    noDelay: true,
  });
  // a client may half-close: pending answers are still sent, and the connection is closed after the last
  server.httpAllowHalfOpen = true;
  // its connections come from listening sockets of our own, and it enforces its time limits only once it is told that
  // it listens
  server.emit('listening');
  return server;
}

/** Has `handle` answer all requests, with and without an expectation. */
function takeRequests(server: ListenerServer, handle: Handler, takesBody: TakesBody): void {
  server.on('request', handle);
  server.on('checkContinue', (request, response) => {
    if (takesBody(request)) request.isContinueAwaited = true;
    // without `100 Continue` the client need not send what would not be read (RFC 9110 §10.1.1)
    else if (!request.isBodySkipped) continueInTurn(response);
    handle(request, response);
  });
  // node:http would answer any other expectation itself, out of turn and without a body
  server.on('checkExpectation', handle);
}

/** Answers input that node:http cannot parse into a request. */
function refuseUnreadable(server: ListenerServer, pipelining: Pipelining, refusing: RefusalOptions): void {
  // earlier requests on the connection are answered first
  const refuseLater = (socket: Duplex, refuse: () => void) => {
    const failed = (error: unknown) => {
      refusing.logger.error({ err: error }, 'a malformed request could not be answered');
      socket.destroy();
    };
    atTurnEnd({ run: refuse, failed });
  };
  server.on('clientError', (error, socket) => {
    const isPending = isAboutRequest(error) && pipelining.endWithPending(socket);
    if (socket instanceof Socket) failBody(socket, error);
    if (isPending) return;
    refuseLater(socket, () => refuseBadRequest(error, socket, refusing));
  });
}

interface ListenerServer extends Server<typeof ServedRequest> {
  /** Supported by node:http, but missing from its types. */
  httpAllowHalfOpen?: boolean;
}

type Handler = (request: ServedRequest, response: ServerResponse) => void;

/**
 * Sends `100 Continue` when it is this response's turn. Sent earlier, it would end up between the head and the body of
 * the previous answer.
 */
function continueInTurn(response: ServerResponse): void {
  const goOn = () => {
    if (!response.headersSent) response.writeContinue();
  };
  if (response.socket) goOn();
  else response.once('socket', goOn);
}

/** The answer is the last on its connection (RFC 9112 §9.6). */
function sayClose(request: IncomingMessage, response: ServerResponse): void {
  const close = () => {
    response.shouldKeepAlive = false;
  };
  close();
  // `closeIfLast` would keep the connection once a body has been read
  request.once('end', close);
}
