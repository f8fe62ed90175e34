import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LimitedLines } from '../base/limited-lines.ts';
import type { Logger } from '../base/logger.ts';
import { formatHttpDate } from '../http/http-date.ts';
import {
  type UnreadableAnswer,
  type UnreadableRequest,
  unreadableStatuses,
} from '../http/unreadable-request.ts';
import { peerOf } from '../transport/peer.ts';
import { failBody, SlowBodyError } from '../transport/request-bodies.ts';
import { runningResponse } from '../transport/running-response.ts';
import { endWith, mayAnswer, unreadableBecause } from '../transport/unreadable.ts';

/** Renders the response to a malformed request. @param nowMs when it is answered, in milliseconds since the epoch */
export type RenderUnreadable = (why: UnreadableRequest, nowMs: number) => UnreadableAnswer;

/** The same, with the time filled in. */
export type AnswerUnreadable = (why: UnreadableRequest) => UnreadableAnswer;

/** How malformed requests are answered and where that is logged. */
export interface RefusalOptions {
  readonly answerUnreadable: AnswerUnreadable;
  readonly logger: Logger;
  /** For what is refused. */
  readonly lines: LimitedLines;
}

/** Has the log tell of a refusal, with the id that its client gets. @returns the answer */
export function refuse(
  why: UnreadableRequest,
  fields: object,
  message: string,
  { answerUnreadable, lines }: Pick<RefusalOptions, 'answerUnreadable' | 'lines'>,
): string {
  const { requestId, text } = answerUnreadable(why);
  lines.write('info', { requestId, ...fields }, message);
  return text;
}

/** What the log says of a client that sends too slowly. */
const SLOW = 'closed a connection whose client sends too slowly';

/**
 * Answers a malformed request with an error, unless a response on this connection may be incomplete: the bytes would
 * become part of its body. The bytes of the request are not logged, as they may contain secrets.
 */
export function refuseBadRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  refusing: RefusalOptions,
): void {
  if (!mayAnswer(error, socket)) {
    socket.destroy();
    return;
  }
  const why = unreadableBecause(error);
  const fields = { code: error.code, remoteAddress: peerOf(socket).address };
  endWith(socket, refuse(why, fields, messageOf(why, error), refusing));
}

function messageOf(why: UnreadableRequest, error: NodeJS.ErrnoException): string {
  if (isTlsHandshake(error)) return 'refused a TLS handshake: this address has no TLS';
  return why === 'too-slow' ? SLOW : 'refused a malformed HTTP request';
}

/** Whether what could not be parsed begins as TLS does: a record of the type handshake (RFC 8446 §5.1). */
function isTlsHandshake(error: NodeJS.ErrnoException & { readonly rawPacket?: unknown }): boolean {
  const { rawPacket: bytes } = error;
  return bytes instanceof Uint8Array && bytes[0] === 0x16 && bytes[1] === 0x03;
}

/** Responses to requests whose bodies were ended because they came too slowly. */
const slowResponses = new WeakSet<object>();

/**
 * For a client that sends too slowly: answers 408 unless another answer has begun, and closes the connection. Who reads
 * the body of a request answers it, with the ids and the log line of that request.
 */
export function refuseSlow(socket: Socket, refusing: RefusalOptions): void {
  const running = runningResponse(socket);
  if (running && !running.headersSent && !slowResponses.has(running)) {
    slowResponses.add(running);
    running.shouldKeepAlive = false;
    if (failBody(socket, new SlowBodyError())) return;
  }
  const fields = { remoteAddress: peerOf(socket).address };
  // between requests, a client would take this for the answer to its next request
  const isAwaited = running ? !running.headersSent : socket.bytesWritten === 0;
  if (isAwaited && socket.writable) {
    endWith(socket, refuse('too-slow', fields, SLOW, refusing));
    return;
  }
  refusing.lines.write('info', fields, SLOW);
  socket.destroy();
}

/** Refuses CONNECT: the gateway offers no tunnels (RFC 9110 §9.3.6). All earlier requests have been answered. */
export function refuseTunnel(socket: Socket, refusing: RefusalOptions): void {
  const fields = { remoteAddress: peerOf(socket).address };
  endWith(socket, refuse('tunnel', fields, 'refused a CONNECT request', refusing));
}

/** Refuses a connection beyond the limit, before reading from it. */
export function refuseConnection(socket: Socket, { answerUnreadable, logger }: RefusalOptions): void {
  const { requestId, text } = answerUnreadable('too-many-connections');
  logger.debug({ requestId, remoteAddress: peerOf(socket).address }, 'refused a connection');
  socket.end(text, () => socket.destroy());
}

/** A response without a body. @param nowMs see `RenderUnreadable` */
export function answerPlainly(why: UnreadableRequest, nowMs: number): UnreadableAnswer {
  const date = formatHttpDate(nowMs);
  const head = `HTTP/1.1 ${unreadableStatuses[why]}\r\ndate: ${date}\r\nconnection: close\r\ncontent-length: 0`;
  return { requestId: undefined, text: `${head}\r\n\r\n` };
}
