import type { ServerResponse } from 'node:http';
import { type HeaderList, headerLines } from '../http/header-lines.ts';
import { passedTrailers, takesTrailers } from '../http/trailers.ts';
import { StreamResponse } from './stream-response.ts';

/** Before the head: the response may end with trailer fields, if its client takes them. @returns whether it does */
export function expectTrailers(response: ServerResponse): boolean {
  const takes = takesTrailers(response.req.headers.te?.toString());
  if (takes && response instanceof StreamResponse) response.expectTrailers();
  return takes;
}

/** Before the end, for a client that takes them; HTTP/1 has none where a length was told (RFC 9112 §7.1.2). @param raw as received */
export function addTrailers(response: ServerResponse, raw: HeaderList): void {
  const lines = Array.from(headerLines(passedTrailers(raw)), ([name, value]): [string, string] => [
    name,
    value,
  ]);
  if (lines.length > 0) response.addTrailers(lines);
}
