import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ClientQuota, clientOf } from '../base/client-quota.ts';
import { runningResponse } from '../transport/running-response.ts';
import { stopParsing } from '../transport/stop-parsing.ts';
import type { ClientLimits } from './client-limits.ts';
import type { RequestHandler } from './request-handler.ts';

/** With so many requests waiting on a connection it is not read any further. */
const READING_STOPS_AT = 16;

/** Requests of one connection that wait for the answers before theirs. */
interface Waiting {
  readonly client: string;
  count: number;
  /** The response to the last of them. */
  last: ServerResponse;
  /** Nothing more is taken of the connection: it is closed with the answer to the last of them. */
  isEnding: boolean;
}

/**
 * Has the requests of one connection answered one after the other (RFC 9112 §9.3.2 asks for their order alone): nothing is
 * done for one before its turn, so that a connection, whatever it sends, asks for one thing at a time. node:http keeps
 * those that wait and drops them with their connection. It parses all that it has read, thousands of requests perhaps:
 * reading stops when some wait, and a connection that brings more than may wait is closed at once, since what node:http has
 * parsed can be freed in no other way.
 */
export class Pipelining {
  readonly #handle: RequestHandler;
  readonly #perConnection: number;
  readonly #quota: ClientQuota;
  readonly #waiting = new WeakMap<Duplex, Waiting>();

  constructor(handle: RequestHandler, limits: ClientLimits) {
    this.#handle = handle;
    this.#perConnection = limits.requestsPerConnection;
    this.#quota = new ClientQuota({ inAll: limits.requests, perClient: Math.ceil(limits.requests / 2) });
  }

  readonly take: RequestHandler = (request, response) => {
    // a response has the connection when none is before it
    if (response.socket) this.#handle(request, response);
    else this.#wait(request, response);
  };

  /**
   * Closes a connection, of which nothing more can be read, with the answer to the last of the requests that it has brought.
   *
   * @returns false where all have been answered.
   */
  endWithPending(socket: Duplex): boolean {
    const running = runningResponse(socket);
    if (!running || !(socket instanceof Socket)) return false;
    const waiting = this.#waiting.get(socket) ?? this.#watch(socket, running);
    const last = waiting.count > 0 ? waiting.last : running;
    waiting.isEnding = true;
    last.shouldKeepAlive = false;
    // for an answer whose head says that the connection stays
    last.once('finish', () => socket.destroySoon());
    socket.pause();
    return true;
  }

  #wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const waiting = this.#waiting.get(socket) ?? this.#watch(socket, response);
    if (waiting.isEnding || socket.destroyed) return;
    if (waiting.count >= this.#perConnection || !this.#quota.take(waiting.client)) {
      socket.destroy();
      stopParsing(socket);
      return;
    }
    waiting.count++;
    waiting.last = response;
    if (isFull(waiting)) socket.pause();
    response.once('socket', () => this.#turn(request, response, waiting));
  }

  #watch(socket: Socket, last: ServerResponse): Waiting {
    const client = clientOf(socket.remoteAddress);
    const waiting: Waiting = { client, count: 0, last, isEnding: false };
    this.#waiting.set(socket, waiting);
    // node:http reads on whenever a request is complete
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

  /** In a turn of the event loop of its own: a connection with many requests is not served before the others. */
  #turn(request: IncomingMessage, response: ServerResponse, waiting: Waiting): void {
    const { socket } = request;
    const wasFull = isFull(waiting);
    waiting.count--;
    this.#quota.giveBack(waiting.client);
    if (wasFull && !isFull(waiting)) socket.resume();
    setImmediate(() => {
      if (!socket.destroyed) this.#handle(request, response);
    });
  }
}

/** Whether the connection is not to be read. */
function isFull({ count, isEnding }: Waiting): boolean {
  return isEnding || count >= READING_STOPS_AT;
}

/**
 * Has errors made without stacks while node:http hears that `socket` has closed: it makes one for each request that it has
 * parsed, in one turn, and thousands of stacks take longer than parsing the requests did.
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
