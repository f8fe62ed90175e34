import { IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { closeDiscarding, discardRestOnClose, isDiscarded } from './discard-input.ts';
import { ServedRequest } from './served-request.ts';
import { shareThread } from './share-thread.ts';
import { REST_IS_UPGRADED } from './stop-parsing.ts';

/** Whether the body of `request`, whose head has just arrived, will be read by its handler. */
export type TakesBody = (request: IncomingMessage) => boolean;

export const takesNoBody: TakesBody = () => false;

/** A body up to this announced length is read even when nobody takes it, and the connection is kept. */
const SMALL_BYTES = 64 * 1024;

type OnIncoming = (request: IncomingMessage, isKeptAlive: boolean) => number;

/**
 * Has `server` parse only the bodies that are taken. The rest of a connection behind any other body is not parsed: its
 * answer is the last one (RFC 9110 §9.3.1, RFC 9112 §9.6), and what arrives after it is discarded. Only small bodies of
 * announced length are passed over, and the connection is kept.
 *
 * Relies on node:http's parser calling its property `onIncoming` for each head, and on the return value with which it
 * stops (_http_server.js, _http_common.js). Without that property, all bodies are parsed.
 */
export function parseTakenBodies(server: Server<typeof ServedRequest>, takesBody: TakesBody): void {
  server.on('connection', socket => {
    const parser = 'parser' in socket ? socket.parser : undefined;
    if (!isParser(parser)) return;
    const onIncoming = parser.onIncoming;
    parser.onIncoming = (request, isKeptAlive) => {
      const { headers } = request;
      const isBodiless =
        headers['transfer-encoding'] === undefined && headers['content-length'] === undefined;
      if (isBodiless || !(request instanceof ServedRequest)) return onIncoming(request, isKeptAlive);
      const isTaken = takesBody(request);
      // a client that is refused instead of told to continue need not send even a small body
      if (isSmall(headers) && !(isTaken && headers.expect !== undefined))
        return readSmall(request, isKeptAlive, onIncoming, takesBody);
      return isTaken ? takeBody(request, isKeptAlive, onIncoming) : skipBody(request, onIncoming);
    };
  });
}

/**
 * Must be called before the answer to `request`, and has it close the connection where nothing is parsed behind it: after
 * an Upgrade, and after a body that was not read whole.
 */
export function closeIfLast(request: ServedRequest, response: ServerResponse): void {
  if (request.isUpgrade) response.shouldKeepAlive = false;
  if (!request.isBodyTaken || !response.shouldKeepAlive) return;
  response.shouldKeepAlive = false;
  // without effect once the head of the answer was sent
  request.once('end', () => {
    response.shouldKeepAlive = true;
  });
}

/**
 * Has the client send the body that it holds back, if it does (RFC 9110 §10.1.1). Called by the handler that takes the
 * body, once it knows that it will not refuse the request, and when it is this response's turn.
 */
export function letContinue(request: IncomingMessage, response: ServerResponse): void {
  if (!(request instanceof ServedRequest) || !request.isContinueAwaited) return;
  request.isContinueAwaited = false;
  if (!response.headersSent) response.writeContinue();
}

/**
 * Must be called when a body is not read to its end. The rest of a small body is read and dropped; that of another
 * stays unread, because the connection is closed.
 */
export function passOverRest(request: Readable): void {
  if (!(request instanceof ServedRequest && request.isBodyTaken)) request.resume();
}

/**
 * Whether the client cannot send on: it waits to be told to, or what it has sent of the body of `request` is not being
 * read.
 */
export function isBodyHeldUp(request: IncomingMessage): boolean {
  if (request instanceof ServedRequest && request.isContinueAwaited) return true;
  return request.readableLength >= request.readableHighWaterMark;
}

/** The client sends a body so slowly that the rest of it is not waited for. */
export class SlowBodyError extends Error {
  override readonly name = 'SlowBodyError';
  readonly code = 'SLOW_BODY';

  constructor() {
    super('the client sends its body too slowly');
  }
}

/**
 * Tells who reads the body of a request on `socket` that the rest of it cannot be read. Those who begin to read it later
 * are told then, as when its turn has not come because an earlier request of the connection is not answered yet.
 *
 * @returns whether somebody reads it now
 */
export function failBody(socket: Socket, error: Error): boolean {
  const request = unfinishedRequest(socket);
  if (!request) return false;
  // node:http emits the error only when the connection is closed, for which the client may wait with its half of it
  const isRead = request.listenerCount('error') > 0;
  if (isRead) request.emit('error', error);
  // told before
  if (request.listenerCount('newListener') > 0) return isRead;
  request.on('newListener', (event, listener) => {
    if (event === 'error') process.nextTick(listener, error);
  });
  return isRead;
}

/** The request whose body node:http is still reading from `socket`. */
export function unfinishedRequest(socket: Socket): IncomingMessage | undefined {
  const parser = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('incoming' in parser)) return undefined;
  const { incoming } = parser;
  return incoming instanceof IncomingMessage && !incoming.complete ? incoming : undefined;
}

function isParser(parser: unknown): parser is { onIncoming: OnIncoming } {
  return (
    typeof parser === 'object' &&
    parser !== null &&
    'onIncoming' in parser &&
    typeof parser.onIncoming === 'function'
  );
}

function isSmall(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= SMALL_BYTES;
}

/** Discards a body that is not taken, as it arrives. */
function readSmall(
  request: ServedRequest,
  isKeptAlive: boolean,
  onIncoming: OnIncoming,
  takesBody: TakesBody,
): number {
  const verdict = onIncoming(request, isKeptAlive);
  if (!takesBody(request)) request.resume();
  return verdict;
}

/** Nothing is parsed, and the connection is not even read, before the answer was sent. */
function skipBody(request: ServedRequest, onIncoming: OnIncoming): number {
  const { socket } = request;
  request.isBodySkipped = true;
  socket.pause();
  // node:http resumes reading when it regards the request as complete
  const stay = () => {
    if (!isDiscarded(socket)) socket.pause();
  };
  socket.on('resume', stay);
  socket.destroySoon = () => {
    socket.off('resume', stay);
    closeDiscarding(socket);
  };
  onIncoming(request, false);
  return REST_IS_UPGRADED;
}

/** Stops reading the body after the answer. */
function takeBody(request: ServedRequest, isKeptAlive: boolean, onIncoming: OnIncoming): number {
  request.isBodyTaken = true;
  discardRestOnClose(request);
  shareThread(request);
  return onIncoming(request, isKeptAlive);
}
