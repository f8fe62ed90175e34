import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { ServedRequest } from './served-request.ts';

/** The connection ended, or the client reset the stream, before the body was complete. */
class StreamAbortedError extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('the client has left');
  }
}

/** A request of HTTP/2, as a request of HTTP/1 says the same (RFC 9113 §8.3, §8.2.3): the pipeline knows no other. */
export class StreamRequest extends ServedRequest {
  /** Bytes of its body so far. */
  receivedBytes = 0;
  readonly #stream: ServerHttp2Stream;

  /** @param raw the fields as received, names and values alternating */
  constructor(socket: Socket, stream: ServerHttp2Stream, raw: readonly string[], hasBody: boolean) {
    super(socket);
    this.#stream = stream;
    this.httpVersion = '2.0';
    this.httpVersionMajor = 2;
    this.httpVersionMinor = 0;
    const { method, path, fields } = asRequestOfHttp1(raw);
    this.method = method;
    this.url = path;
    setFields(this, fields);
    this.isBodyTaken = hasBody;
    stream.once('close', () => {
      if (!this.complete) this.destroy();
    });
    if (!hasBody) {
      this.complete = true;
      this.push(null);
      return;
    }
    stream.on('data', (chunk: Buffer) => {
      this.receivedBytes += chunk.length;
      if (!this.push(chunk)) stream.pause();
    });
    stream.once('end', () => {
      // the end of a stream that was reset is not the end of its body
      if (stream.closed) return;
      this.complete = true;
      this.push(null);
    });
    stream.pause();
  }

  override _read(): void {
    this.#stream.resume();
  }

  /** That of node:http would close the connection, with all its other streams. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.complete) {
      done(null);
      return;
    }
    this.aborted = true;
    this.emit('aborted');
    done(this.listenerCount('error') > 0 ? (error ?? new StreamAbortedError()) : null);
  }
}

/** As the parser of HTTP/1 does (_http_incoming.js): `headers` and `headersDistinct` are made of these when they are read. */
function setFields(request: StreamRequest, fields: string[]): void {
  const addLines: unknown = Reflect.get(request, '_addHeaderLines');
  if (typeof addLines === 'function') Reflect.apply(addLines, request, [fields, fields.length]);
  else request.rawHeaders = fields;
}

interface RequestOfHttp1 {
  readonly method: string;
  readonly path: string;
  readonly fields: string[];
}

/**
 * The authority becomes Host. A Host field that says something else stays beside it, so that the request is refused as one
 * with two of them; cookies are put together again.
 */
function asRequestOfHttp1(raw: readonly string[]): RequestOfHttp1 {
  let [method, path, authority] = ['GET', '/', undefined as string | undefined];
  const fields: string[] = [];
  const cookies: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]];
    if (name === ':method') method = value;
    else if (name === ':path') path = value;
    else if (name === ':authority') {
      authority = value;
      fields.push('host', value);
    } else if (name === 'cookie') cookies.push(value);
    else if (name === 'host' && value === authority) continue;
    else if (!name.startsWith(':')) fields.push(name, value);
  }
  if (cookies.length > 0) fields.push('cookie', cookies.join('; '));
  return { method, path, fields };
}
