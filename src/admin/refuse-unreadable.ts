import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { formatHttpDate } from '../http/http-date.ts';
import { unreadableStatuses } from '../http/unreadable-request.ts';
import { closeDiscarding, discardRest } from '../transport/discard-input.ts';
import { failBody } from '../transport/request-bodies.ts';
import {
  endWith,
  isAboutRequest,
  mayAnswer,
  type UnparsedRequest,
  unreadableBecause,
} from '../transport/unreadable.ts';

const reasons: Readonly<Record<UnparsedRequest, string>> = {
  malformed: 'the bytes are not an HTTP/1.1 request',
  'invalid-uri': 'the request target is not a URI',
  'headers-too-large': 'the header fields are too large',
  'too-slow': 'the request came too slowly',
};

/**
 * Answers what is no request with JSON, like all errors of the admin port, or closes the connection where an answer would not be
 * taken for one: behind what was asked before, whose answers come first. For `clientError`.
 *
 * @param last the answer to the last request of the connection
 * @param nowMs milliseconds since the epoch
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
  nowMs: number,
): void {
  if (last && isPending(last, error, socket)) {
    endBehind(last, error, socket);
    return;
  }
  if (!mayAnswer(error, socket)) {
    socket.destroy();
    return;
  }
  const why = unreadableBecause(error);
  const body = `${JSON.stringify({ error: 'UNREADABLE', reason: reasons[why] })}\n`;
  const head = [
    `HTTP/1.1 ${unreadableStatuses[why]}`,
    `date: ${formatHttpDate(nowMs)}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `content-length: ${body.length}`,
  ];
  endWith(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

function isPending(last: ServerResponse, error: NodeJS.ErrnoException, socket: Duplex): socket is Socket {
  return isAboutRequest(error) && socket instanceof Socket && !last.writableFinished;
}

/** Closes the connection behind `last`, unless the client leaves before. */
function endBehind(last: ServerResponse, error: Error, socket: Socket): void {
  // what was no request may have been the half of one, with the end behind it
  if (socket.readableEnded) {
    socket.destroy();
    return;
  }
  last.shouldKeepAlive = false;
  last.once('finish', () => closeDiscarding(socket));
  // what is malformed may be in the body of the last request
  failBody(socket, error);
  // without what is read, nobody would see that the client leaves
  discardRest(socket);
}
