import type { IncomingMessage, ServerResponse } from 'node:http';
import { s3Error } from '../../s3/error.ts';

/**
 * Refuses a request whose body may end elsewhere for others than for node:http; its connection ends with the answer.
 *
 * @throws S3Error InvalidRequest for transfer codings in HTTP/1.0, which has none; NotImplemented for any but `chunked`
 *   (RFC 9112 §6.1)
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
