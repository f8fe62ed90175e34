import type { IncomingMessage, ServerResponse } from 'node:http';
import { s3Error } from '../../s3/error.ts';

/**
 * Refuses a request whose body length other HTTP implementations may interpret differently from node:http (request
 * smuggling). The connection is closed after the answer.
 *
 * @throws S3Error InvalidRequest for a transfer coding in HTTP/1.0, which has none; NotImplemented for any other than
 * `chunked` (RFC 9112 §6.1)
 */
export function checkFraming({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return;
  const isChunked = coding.trim().toLowerCase() === 'chunked';
  if (isChunked && httpVersion === '1.1') return;
  response.shouldKeepAlive = false;
  if (!isChunked)
    throw s3Error('NotImplemented', { message: 'Transfer codings other than chunked are not supported.' });
  throw s3Error('InvalidRequest', { message: 'A request of HTTP/1.0 cannot have a transfer coding.' });
}
