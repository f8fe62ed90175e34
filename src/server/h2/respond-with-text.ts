import type { ServerHttp2Stream } from 'node:http2';
import { endUnreadStream } from '../../transport/end-stream.ts';

/** Answers with a complete response of HTTP/1, and ends the stream. No answer may have begun. */
export function respondWithText(stream: ServerHttp2Stream, text: string): void {
  if (stream.destroyed || stream.closed) return;
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const fields = lines
    .map(
      line =>
        [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
    )
    .filter(([name]) => name !== 'connection');
  stream.respond({ ':status': Number(statusLine.split(' ')[1]), ...Object.fromEntries(fields) });
  stream.end(text.slice(end + 4), () => endUnreadStream(stream));
}
