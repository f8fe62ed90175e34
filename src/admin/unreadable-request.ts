import type { Duplex } from 'node:stream';
import { formatHttpDate } from '../http/http-date.ts';
import { unreadableStatuses } from '../http/unreadable-request.ts';
import { endWith, mayAnswer, type UnparsedRequest, unreadableBecause } from '../transport/unreadable.ts';

const reasons: Readonly<Record<UnparsedRequest, string>> = {
  malformed: 'the bytes are not an HTTP/1.1 request',
  'invalid-uri': 'the request target is not a URI',
  'headers-too-large': 'the header fields are too large',
  'too-slow': 'the request came too slowly',
};

/**
 * Answers what is no request with JSON, like all errors of the admin port, or closes the connection where an answer would not be
 * taken for one. For `clientError`.
 *
 * @param nowMs milliseconds since the epoch
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, nowMs: number): void {
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
