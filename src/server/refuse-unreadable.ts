import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../base/logger.ts';
import { type UnreadableRequest, unreadableStatuses } from '../http/unreadable-request.ts';
import { runningResponse } from '../transport/running-response.ts';

/** Gives the whole answer to what is no request, from status line to body. */
export type AnswerUnreadable = (why: UnreadableRequest) => string;

/** How what is no request is answered, and where that is told. */
export interface Refusing {
  readonly answerUnreadable: AnswerUnreadable;
  readonly logger: Logger;
}

/**
 * What is no HTTP is answered as such, unless an answer has been sent on this connection: it may still be
 * running, and these bytes would become part of its body. The request's own bytes are not logged, since
 * they may hold secrets.
 */
export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex, refusing: Refusing): void {
  const fresh = socket instanceof Socket && socket.bytesWritten === 0 && socket.writable;
  if (!fresh || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  refusing.logger.info(
    { code: error.code, remoteAddress: socket.remoteAddress },
    'refused what is no HTTP request',
  );
  endWith(socket, refusing.answerUnreadable(reasonOf(error)));
}

/** A client that only drips: its request is answered 408 where no other answer has begun, and the connection is closed. */
export function refuseSlow(socket: Socket, { answerUnreadable, logger }: Refusing): void {
  logger.info({ remoteAddress: socket.remoteAddress }, 'closed a connection whose client sends too slowly');
  const running = runningResponse(socket);
  // between requests an answer would be taken for that to the next one
  const isAwaited = running ? !running.headersSent : socket.bytesWritten === 0;
  if (isAwaited && socket.writable) endWith(socket, answerUnreadable('too-slow'));
  else socket.destroy();
}

/** CONNECT asks for a tunnel; the gateway offers none (RFC 9110 §9.3.6). All requests before it have been answered. */
export function refuseTunnel(socket: Socket, { answerUnreadable, logger }: Refusing): void {
  logger.info({ remoteAddress: socket.remoteAddress }, 'refused a CONNECT request');
  endWith(socket, answerUnreadable('tunnel'));
}

/** There are as many connections as there may be: this one is told so and closed, before anything of it is read. */
export function refuseConnection(socket: Socket, { answerUnreadable, logger }: Refusing): void {
  logger.debug({ remoteAddress: socket.remoteAddress }, 'refused a connection');
  socket.end(answerUnreadable('too-many-connections'), () => socket.destroy());
}

/** A head has not come within `headersTimeout`. */
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** A client has this long to read the answer and to close its side (RFC 9112 §9.6). */
const LINGER_MS = 500;

function endWith(socket: Duplex, answer: string): void {
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Whether `error` is about what was sent or has not come, and not about the connection. */
export function isAboutRequest({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') || code === REQUEST_TIMEOUT;
}

function reasonOf({ code }: NodeJS.ErrnoException): UnreadableRequest {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code === 'HPE_INVALID_URL') return 'invalid-uri';
  return code === REQUEST_TIMEOUT ? 'too-slow' : 'malformed';
}

/** A status and nothing else. */
export function answerPlainly(why: UnreadableRequest): string {
  return `HTTP/1.1 ${unreadableStatuses[why]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
}
