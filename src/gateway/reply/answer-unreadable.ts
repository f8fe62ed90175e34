import { type UnreadableRequest, unreadableStatuses } from '../../http/unreadable-request.ts';
import { notAllowed, s3Error, slowDown } from '../../s3/error.ts';
import { errorBody } from '../../s3/error-body.ts';
import type { RequestIds } from '../request/request-ids.ts';

const messages: Readonly<Partial<Record<UnreadableRequest, string>>> = {
  malformed: 'This is no request of HTTP/1.1.',
  'headers-too-large': 'The headers of the request are too large.',
};

/**
 * The answer to what is no request, as it goes onto the wire: in the store's words and with ids like every other
 * (docs/architecture.md, Answers). Of a dialect nothing is known.
 */
export function answerUnreadable(why: UnreadableRequest, { requestId, id2 }: RequestIds): string {
  const { code, message, fields, headers } = errorOf(why);
  const body = errorBody({ code, message, fields, requestId, hostId: id2 });
  const head = [
    `HTTP/1.1 ${unreadableStatuses[why]}`,
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/xml',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-store-request-id: ${requestId}`,
    `x-store-id-2: ${id2}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function errorOf(why: UnreadableRequest) {
  if (why === 'invalid-uri') return s3Error('InvalidURI');
  if (why === 'too-many-connections') return slowDown();
  if (why === 'tunnel') return notAllowed('CONNECT', 'service');
  if (why === 'too-slow') return s3Error('RequestTimeout');
  const message = messages[why];
  return s3Error('InvalidRequest', message === undefined ? {} : { message });
}
