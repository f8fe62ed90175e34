import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { UnreadableRequest } from '../http/unreadable-request.ts';
import { closeDiscarding } from './discard-input.ts';
import { runningResponse } from './running-response.ts';

/** The request head was not complete within `headersTimeout`. */
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Whether an error of `clientError` concerns the request (malformed or late) rather than the connection. */
export function isAboutRequest({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('HPE_') || code === REQUEST_TIMEOUT;
}

/** What may be wrong with bytes that are to become a request. */
export type UnparsedRequest = Extract<
  UnreadableRequest,
  'malformed' | 'invalid-uri' | 'headers-too-large' | 'too-slow'
>;

/** What is wrong with a request that has such an error. */
export function unreadableBecause({ code }: NodeJS.ErrnoException): UnparsedRequest {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code === 'HPE_INVALID_URL') return 'invalid-uri';
  return code === REQUEST_TIMEOUT ? 'too-slow' : 'malformed';
}

/**
 * Whether an answer to such a request would be taken for one. Beside a response that may be incomplete it would become part of that, and
 * on a kept connection only a client whose bytes were no request waits for an answer.
 */
export function mayAnswer({ code = '' }: NodeJS.ErrnoException, socket: Duplex): socket is Socket {
  if (!(socket instanceof Socket) || !socket.writable || runningResponse(socket)) return false;
  return code.startsWith('HPE_') || (socket.bytesWritten === 0 && code !== 'ECONNRESET');
}

/** Sends `answer`, and closes the connection when the client has it. */
export function endWith(socket: Duplex, answer: string): void {
  socket.end(answer);
  if (socket instanceof Socket) closeDiscarding(socket);
}
