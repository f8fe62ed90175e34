import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { formatHttpDate } from '../http/http-date.ts';
import { unreadableStatuses } from '../http/unreadable-request.ts';
import { closeDiscarding, discardRest } from '../transport/discard-input.ts';
import { unfinishedRequest } from '../transport/request-bodies.ts';
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
    // without what is read, nobody would see that the client leaves
    discardRest(socket);
    last.once('finish', () => closeDiscarding(socket));
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

/** Whether an answer comes that does not wait for the rest of its request. */
function isPending(last: ServerResponse, error: NodeJS.ErrnoException, socket: Duplex): socket is Socket {
  if (!isAboutRequest(error) || !(socket instanceof Socket)) return false;
  return !last.writableFinished && unfinishedRequest(socket) === undefined;
}
