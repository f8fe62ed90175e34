import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ClientQuota, clientOf } from '../base/client-quota.ts';
import { peerOf } from '../transport/peer.ts';
import { runningResponse } from '../transport/running-response.ts';
import { stopParsing } from '../transport/stop-parsing.ts';
import { type ClientLimits, requestQuota } from './client-limits.ts';
import type { RequestHandler } from './request-handler.ts';

/** A connection is not read while this many of its requests are queued. */
const READING_STOPS_AT = 16;

/** The queued requests of one connection. */
interface Waiting {
  readonly client: string;
  count: number;
  /** The response to the last of them. */
  last: ServerResponse;
  /** No more requests are accepted; the connection is closed after the last answer. */
  isEnding: boolean;
}

/**
 * Handles the requests of one connection one after the other, so that a client gets the resources of one request per
 * connection (RFC 9112 §9.3.2 requires only that answers are in order). node:http keeps queued requests and drops them
 * with the connection. It parses everything that it has read, which may be thousands of requests. So reading is paused
 * when some are queued, and a connection with more than the limit is closed at once, as parsed requests cannot be freed
 * in any other way.
 */
export class Pipelining {
  readonly #handle: RequestHandler;
  #perConnection: number;
  readonly #quota: ClientQuota;
  readonly #waiting = new WeakMap<Duplex, Waiting>();

  constructor(handle: RequestHandler, limits: ClientLimits) {
    this.#handle = handle;
    this.#perConnection = limits.requestsPerConnection;
    this.#quota = new ClientQuota(requestQuota(limits));
  }

  /** Changes the limits; requests that are queued beyond them stay. */
  limit(limits: ClientLimits): void {
    this.#perConnection = limits.requestsPerConnection;
    this.#quota.limit(requestQuota(limits));
  }

  /** Handles a request once the earlier ones on its connection are answered. */
  enqueue(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const waiting = this.#waiting.get(socket) ?? this.#track(socket, response);
    if (waiting.isEnding || socket.destroyed) return;
    if (waiting.count >= this.#perConnection || !this.#quota.take(waiting.client)) {
      socket.destroy();
      stopParsing(socket);
      return;
    }
    waiting.count++;
    waiting.last = response;
    if (isFull(waiting)) socket.pause();
    response.once('socket', () => this.#handleNext(request, response, waiting));
  }

  /** Handles a request whose turn it is, after those have been queued that arrived together with it. */
  handleSoon(request: IncomingMessage, response: ServerResponse): void {
    setImmediate(() => {
      if (!request.socket.destroyed) this.#handle(request, response);
    });
  }

  /** Whether further requests of the connection are queued. */
  hasQueued(socket: Duplex): boolean {
    return (this.#waiting.get(socket)?.count ?? 0) > 0;
  }

  /**
   * Closes a connection that cannot be read any further, after answering the requests already received.
   *
   * @returns false when all have been answered.
   */
  endWithPending(socket: Duplex): boolean {
    const running = runningResponse(socket);
    if (!running || !(socket instanceof Socket)) return false;
    const waiting = this.#waiting.get(socket) ?? this.#track(socket, running);
    const last = waiting.count > 0 ? waiting.last : running;
    waiting.isEnding = true;
    last.shouldKeepAlive = false;
    // in case the head of that answer was already sent with keep-alive
    last.once('finish', () => socket.destroySoon());
    socket.pause();
    return true;
  }

  #track(socket: Socket, last: ServerResponse): Waiting {
    const client = clientOf(peerOf(socket).address);
    const waiting: Waiting = { client, count: 0, last, isEnding: false };
    this.#waiting.set(socket, waiting);
    // node:http resumes reading whenever a request is complete
    socket.on('resume', () => {
      if (isFull(waiting)) socket.pause();
    });
    socket.once('close', () => {
      this.#quota.giveBack(waiting.client, waiting.count);
      waiting.count = 0;
    });
    closeCheaply(socket);
    return waiting;
  }

  /**
   * Handled in a separate turn of the event loop, so that a connection with many requests does not delay the others.
   */
  #handleNext(request: IncomingMessage, response: ServerResponse, waiting: Waiting): void {
    const { socket } = request;
    const wasFull = isFull(waiting);
    waiting.count--;
    this.#quota.giveBack(waiting.client);
    if (wasFull && !isFull(waiting)) socket.resume();
    this.handleSoon(request, response);
  }
}

/** Whether reading from the connection must be paused. */
function isFull({ count, isEnding }: Waiting): boolean {
  return isEnding || count >= READING_STOPS_AT;
}

/**
 * Disables stack traces while node:http handles 'close' of `socket`: it creates one error per parsed request, all in
 * one turn, and thousands of stack traces take longer than parsing the requests did.
 */
function closeCheaply(socket: Socket): void {
  let stackTraceLimit = Error.stackTraceLimit;
  socket.prependOnceListener('close', () => {
    stackTraceLimit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}
