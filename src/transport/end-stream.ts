import { constants, type ServerHttp2Stream } from 'node:http2';

/**
 * Ends a stream whose answer is complete although its body is not: nobody wants the rest (RFC 9113 §8.1). What was received
 * of it is thrown away: node:http2 keeps a stream that is closed without an error until all of it has been read, and it
 * counts among those that its session may have.
 */
export function endUnreadStream(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_NO_ERROR);
  stream.destroy();
}
