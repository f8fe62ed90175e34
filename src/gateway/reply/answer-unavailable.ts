import type { RequestListener, ServerResponse } from 'node:http';
import { retryAfter, s3Error } from '../../s3/error.ts';
import { errorBody } from '../../s3/error-body.ts';
import { RequestIdSource } from '../request/request-ids.ts';

/**
 * Answers any request with 503 ServiceUnavailable and ends its connection: for times in which no worker can. Nothing of the
 * request is looked at, so its dialect is not known: the ids are sent under every prefix of `prefixes`.
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
    // node:http leaves the body out where the request was a HEAD (RFC 9110 §9.3.2)
    response.end(body);
  };
}
