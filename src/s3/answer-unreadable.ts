import { formatHttpDate } from '../http/http-date.ts';
import {
  type UnreadableAnswer,
  type UnreadableRequest,
  unreadableStatuses,
} from '../http/unreadable-request.ts';
import { notAllowed, s3Error, slowDown } from './error.ts';
import { errorBody } from './error-body.ts';
import { allowedMethods } from './operation.ts';
import type { RequestIds } from './request-ids.ts';

const messages: Readonly<Partial<Record<UnreadableRequest, string>>> = {
  malformed: 'Malformed HTTP request.',
  'plain-http': 'A plain HTTP request was sent to an HTTPS port.',
  'client-certificate': 'This port requires a client certificate that it accepts.',
  'headers-too-large': 'The headers of the request are too large.',
};

const tunnel = { method: 'CONNECT', resource: 'service', allowed: allowedMethods('service', []) } as const;

/**
 * The raw response to a malformed request: an error body and ids like any other (docs/architecture.md, Answers). The
 * dialect is unknown.
 *
 * @param nowMs when it is answered, in milliseconds since the epoch (RFC 9110 §6.6.1)
 */
export function answerUnreadable(
  why: UnreadableRequest,
  nowMs: number,
  { requestId, id2 }: RequestIds,
): UnreadableAnswer {
  const { code, message, fields, headers } = errorOf(why);
  const body = errorBody({ code, message, fields, requestId, hostId: id2 });
  const head = [
    `HTTP/1.1 ${unreadableStatuses[why]}`,
    `date: ${formatHttpDate(nowMs)}`,
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/xml',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-store-request-id: ${requestId}`,
    `x-store-id-2: ${id2}`,
  ];
  return { requestId, text: `${head.join('\r\n')}\r\n\r\n${body}` };
}

function errorOf(why: UnreadableRequest) {
  if (why === 'invalid-uri') return s3Error('InvalidURI');
  if (why === 'too-many-connections') return slowDown();
  if (why === 'tunnel') return notAllowed(tunnel);
  if (why === 'too-slow') return s3Error('RequestTimeout');
  const message = messages[why];
  return s3Error('InvalidRequest', message === undefined ? {} : { message });
}
