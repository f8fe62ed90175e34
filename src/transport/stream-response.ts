import { ServerResponse } from 'node:http';
import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { endUnreadStream } from './end-stream.ts';
import { StreamBody } from './stream-body.ts';
import type { StreamRequest } from './stream-request.ts';

/** Fields of a connection, which HTTP/2 does not have (RFC 9113 §8.2.2). */
const ofConnections: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Has the stream reset (INTERNAL_ERROR). */
class BrokenOffError extends Error {
  readonly code = 'BROKEN_OFF';

  constructor() {
    super('the response was broken off');
  }
}

/**
 * A response of HTTP/2, for what answers requests of node:http. Its state is in the private fields of its base class, from
 * which node:http reads `headersSent` and `closed` (_http_outgoing.js). It has no socket, so that nothing
 * writes to the connection directly.
 */
export class StreamResponse extends ServerResponse {
  readonly body: StreamBody;
  readonly #stream: ServerHttp2Stream;
  #isBodiless = false;
  #isEnded = false;
  /** Names and values; undefined where none may come. */
  #trailers: readonly string[] | undefined;

  constructor(request: StreamRequest, stream: ServerHttp2Stream) {
    super(request);
    this.#stream = stream;
    this.body = new StreamBody(stream);
    this.body.on('drain', () => this.emit('drain'));
    stream.once('finish', () => {
      this.#settle();
      if (this.finished && !request.complete) endUnreadStream(stream);
    });
    stream.once('close', () => {
      this.#settle();
      // node:http2 has ended a response without a body before its handler did
      const isAwaited = stream.rstCode === constants.NGHTTP2_NO_ERROR && this.#isBodiless && !this.#isEnded;
      if (!isAwaited) this.#close();
    });
  }

  /** @param rest perhaps a reason, which is not sent, and fields */
  override writeHead(status: number, ...rest: unknown[]): this {
    this.statusCode = status;
    this.#respond(rest.find(each => typeof each === 'object'));
    return this;
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (!this.headersSent) this.#respond(undefined);
    return this.#put(chunk, rest);
  }

  override end(...args: unknown[]): this {
    if (!this.headersSent) this.#respond(undefined);
    const [chunk, ...rest] = args;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#put(chunk, rest);
    this.#isEnded = true;
    if (!this.body.writableEnded) this.body.end();
    if (!this.#isBodiless) return this;
    this.#settle();
    if (this.#stream.destroyed) process.nextTick(() => this.#close());
    return this;
  }

  /** Before the head: `addTrailers` may be called before the end. */
  expectTrailers(): void {
    this.#trailers = [];
  }

  override addTrailers(lines: OutgoingHttpHeaders | readonly (readonly [string, string])[]): void {
    if (this.#trailers && Array.isArray(lines)) this.#trailers = lines.flat();
  }

  override writeContinue(): void {
    this.#inform(100, {});
  }

  override writeProcessing(): void {
    this.#inform(102, {});
  }

  override writeEarlyHints(hints: Record<string, string | string[]>): void {
    this.#inform(103, hints);
  }

  /** Sends an answer before the final one (RFC 9113 §8.1). */
  #inform(status: number, fields: OutgoingHttpHeaders): void {
    const { destroyed, closed } = this.#stream;
    if (!destroyed && !closed && !this.headersSent)
      this.#stream.additionalHeaders({ ...fields, ':status': status });
  }

  /** Resets the stream: what was sent of the body does not look complete. */
  override destroy(): this {
    // `close` would end the body first, as if it were complete
    if (!this.#stream.destroyed) this.#stream.destroy(new BrokenOffError());
    return this;
  }

  /** Sees whether the client has got all of it. */
  #settle(): void {
    const { rstCode, writableFinished } = this.#stream;
    const isSent = this.#isBodiless || this.body.queuedBytes === 0;
    if (
      this.finished ||
      !this.#isEnded ||
      !isSent ||
      !writableFinished ||
      rstCode !== constants.NGHTTP2_NO_ERROR
    )
      return;
    this.finished = true;
    // read from a private symbol otherwise
    Object.defineProperty(this, 'writableFinished', { value: true });
    this.emit('finish');
  }

  #close(): void {
    if (this.closed) return;
    this.body.destroy();
    this.destroyed = true;
    Object.assign(this, { _closed: true });
    this.emit('close');
  }

  #put(chunk: unknown, rest: unknown[]): boolean {
    const done = rest.find(each => typeof each === 'function') as
      | ((error?: Error | null) => void)
      | undefined;
    const [encoding] = rest;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, encoding === 'latin1' ? 'latin1' : 'utf8')
        : (chunk as Uint8Array);
    return this.body.write(bytes, done);
  }

  #respond(fields: unknown): void {
    Object.assign(this, { _header: 'HTTP/2' });
    this.#isBodiless = this.req.method === 'HEAD' || this.statusCode === 204 || this.statusCode === 304;
    if (this.#stream.destroyed || this.#stream.closed) return;
    const waitForTrailers = this.#trailers !== undefined && !this.#isBodiless;
    if (waitForTrailers)
      this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(combined(this.#trailers ?? [])));
    this.#stream.respond(
      { ':status': this.statusCode, ...(Array.isArray(fields) ? combined(fields) : (fields ?? {})) },
      { waitForTrailers },
    );
  }
}

/** @param raw names and values alternating */
function combined(raw: readonly string[]): OutgoingHttpHeaders {
  // a name may be one that every object has
  const fields: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    if (ofConnections.has(name)) continue;
    const value = raw[index + 1] ?? '';
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  return fields;
}

/** What of `response` the client has not accepted: its own queue, or for HTTP/1 that of its connection. */
export function sendQueueOf(response: ServerResponse): object | null {
  return response instanceof StreamResponse ? response.body : response.socket;
}
