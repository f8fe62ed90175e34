import type { ServerResponse } from 'node:http';

/** What a header value may not hold (RFC 9110 §5.5): node:http refuses the same. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;
const notToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Header lines as they go onto the wire; undefined when a name or value is none that may go there. */
export function headerText(raw: readonly string[]): string | undefined {
  let text = '';
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    if (name === '' || notToken.test(name) || forbidden.test(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/**
 * `text` as one run of characters. V8 keeps a sum of strings as a tree of its pieces, and walks it each time that it is
 * written somewhere.
 *
 * @param text of characters up to U+00FF.
 */
export function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** A response whose head, once made, lies in `_header`. */
type HeadedResponse = ServerResponse & { _header: string | null };

/**
 * Gives `response` a head that has been put together before, from status line to blank line. `writeHead` checks and
 * copies each name and value anew, which is as much work as all the rest of a small answer; its result is a string in
 * `_header`, and that is set here. Body, order of answers and the life of the connection stay with node:http.
 *
 * @param head names the length of the body and keeps the connection alive.
 * @returns false, and nothing has happened, where that head would not be true or this version of Node keeps it
 * elsewhere: then `writeHead` has to do it.
 */
export function setReadyHead(response: ServerResponse, status: number, head: string): boolean {
  if (!response.shouldKeepAlive || !keepsHead(response) || response._header !== null) return false;
  response.statusCode = status;
  response._header = head;
  return true;
}

function keepsHead(response: ServerResponse): response is HeadedResponse {
  return '_header' in response;
}
