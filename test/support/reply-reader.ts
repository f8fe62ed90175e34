import type { RawReply } from './raw-request.ts';

const headEnd = Buffer.from('\r\n\r\n');

/** Reads the replies to several requests from the bytes of one connection (RFC 9112 §6.3). */
export class ReplyReader {
  readonly #methods: readonly string[];
  readonly #replies: RawReply[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  /** Whether the connection is closed after the last reply that was read. */
  isLast = false;

  /** @param methods of the requests, in order */
  constructor(methods: readonly string[]) {
    this.#methods = methods;
  }

  /** All replies, once the last is complete. */
  push(bytes: Buffer): readonly RawReply[] | undefined {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#replies.length < this.#methods.length && this.#readReply(false));
    return this.#replies.length < this.#methods.length ? undefined : this.#replies;
  }

  /** The connection was closed: all replies, the last of which may be delimited by that. @throws Error if some are missing */
  end(): readonly RawReply[] {
    this.#readReply(true);
    if (this.#replies.length === this.#methods.length) return this.#replies;
    throw new Error(
      `${this.#methods.length - this.#replies.length} replies are missing; the last bytes were ${this.#bytes.toString('latin1')}`,
    );
  }

  #readReply(isClosed: boolean): boolean {
    const end = this.#bytes.indexOf(headEnd);
    if (end < 0) return false;
    const [statusLine = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    const headers = headersOf(lines);
    const isBodiless = this.#methods[this.#replies.length] === 'HEAD' || status === 204 || status === 304;
    const rest = this.#bytes.subarray(end + headEnd.length);
    const read = isBodiless ? { body: Buffer.alloc(0), usedBytes: 0 } : bodyOf(headers, rest, isClosed);
    if (!read) return false;
    this.#bytes = rest.subarray(read.usedBytes);
    this.isLast = headers.connection === 'close';
    this.#replies.push({ status, headers, body: read.body, text: read.body.toString() });
    return true;
  }
}

/** Repeated fields are joined. @throws SyntaxError for a line that is no field */
function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, rawName = '', value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
    if (rawName === '') throw new SyntaxError(`no header field: ${line}`);
    const name = rawName.toLowerCase();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

/** The body at the beginning of `bytes`; undefined if it is not complete. */
function bodyOf(headers: Readonly<Record<string, string>>, bytes: Buffer, isClosed: boolean) {
  if (headers['transfer-encoding'] === 'chunked') return chunkedBody(bytes);
  const length = headers['content-length'];
  if (length === undefined) return isClosed ? { body: bytes, usedBytes: bytes.length } : undefined;
  const usedBytes = Number(length);
  return bytes.length < usedBytes
    ? undefined
    : { body: Buffer.from(bytes.subarray(0, usedBytes)), usedBytes };
}

/** RFC 9112 §7.1, without extensions and trailers. @throws SyntaxError for a line that is no size */
function chunkedBody(bytes: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const from = lineEnd + 2;
    const line = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(line)) throw new SyntaxError(`no chunk size: ${line}`);
    const to = from + Number.parseInt(line, 16);
    if (bytes.length < to + 2) return undefined;
    if (to === from) return { body: Buffer.concat(chunks), usedBytes: to + 2 };
    chunks.push(bytes.subarray(from, to));
    at = to + 2;
  }
}
