import type { IncomingMessage, ServerResponse } from 'node:http';
import { s3Error } from './error.ts';
import type { RequestFields } from './request-fields.ts';

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

/** How node:http recognises an expectation that it meets by itself. */
const continueExpected = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Refuses an expectation other than 100-continue; HTTP/1.0 has none (RFC 9110 §10.1.1). The client may be waiting with
 * its body, so the connection is closed after the answer.
 *
 * @throws S3Error ExpectationFailed
 */
export function checkExpectation({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  const { expect } = headers;
  if (expect === undefined || httpVersion === '1.0' || continueExpected.test(expect)) return;
  response.shouldKeepAlive = false;
  throw s3Error('ExpectationFailed');
}

/** RFC 9112 §3.2. */
const hostMissing = { message: 'The request has no Host header.' };
const hostInvalid = { message: 'The Host header of the request is not the name of one host.' };

/**
 * RFC 9110 §7.2 without the comma, which host names do not contain: repeated Host lines are combined with commas, and
 * then refused.
 */
const validHost = /^(?:\[[\da-f:.]+\]|[\w\-.~%!$&'()*+;=]*)(?::\d*)?$/i;

/**
 * RFC 9112 §3.2: only HTTP/1.0 requests may lack Host, and none may have several, even with an absolute request target.
 *
 * @throws S3Error InvalidRequest
 */
export function checkHost({ httpVersion }: IncomingMessage, { host }: RequestFields): void {
  if (host === undefined && httpVersion !== '1.0') throw s3Error('InvalidRequest', hostMissing);
  if (host !== undefined && !isHost(host)) throw s3Error('InvalidRequest', hostInvalid);
}

/** Whether `text` is a host and perhaps a port, as in Host and in a request target (RFC 9110 §7.2). */
export function isHost(text: string): boolean {
  return validHost.test(text);
}
