import type { RequestListener, ServerResponse } from 'node:http';
import { retryAfter, s3Error } from './error.ts';
import { errorBody } from './error-body.ts';
import { RequestIdSource } from './request-ids.ts';

/**
 * Answers every request with 503 ServiceUnavailable and closes the connection; used while no worker is available. The
 * request is not parsed, so its dialect is unknown: the ids are sent with every prefix in `prefixes`.
 */
export function answerUnavailable(prefixes: Iterable<string>): RequestListener {
  const ids = new RequestIdSource();
  const { status, code, message, fields } = s3Error('ServiceUnavailable');
  const [retryName, retryValue] = retryAfter;
  const names = new Set(prefixes);
  return (_request, response: ServerResponse) => {
    const requestId = ids.nextRequestId();
    const body = errorBody({ code, message, fields, requestId, hostId: ids.id2 });
    for (const prefix of names) {
      response.setHeader(`${prefix}request-id`, requestId);
      response.setHeader(`${prefix}id-2`, ids.id2);
    }
    response.writeHead(status, {
      'content-type': 'application/xml',
      'content-length': Buffer.byteLength(body),
      [retryName]: retryValue,
      connection: 'close',
    });
    // node:http omits the body for HEAD (RFC 9110 §9.3.2)
    response.end(body);
  };
}
