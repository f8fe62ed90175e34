import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { RawReply, RawRequest } from './raw-request.ts';

/** Where a session of HTTP/2 is opened. */
interface SecureOrigin {
  readonly url: string;
  /** The authority that its certificate is checked with. */
  readonly caPem: string;
}

/** A client of HTTP/2 that keeps its session. When the gateway closes it, the next call opens another. */
export class KeptSession {
  readonly #origin: SecureOrigin;
  #session: ClientHttp2Session | undefined;

  constructor(origin: SecureOrigin) {
    this.#origin = origin;
  }

  /** The reply to `request`, whose Host becomes the authority (RFC 9113 §8.3.1); rejects when its stream is reset. */
  ask({ method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawReply> {
    const fields = [':method', method, ':path', path, ':scheme', 'https'];
    for (const [name, value] of Object.entries(headers)) {
      const sent = name.toLowerCase() === 'host' ? ':authority' : name.toLowerCase();
      for (const line of [value].flat()) fields.push(sent, line);
    }
    if (body !== undefined && !fields.includes('content-length')) {
      fields.push('content-length', String(Buffer.byteLength(body)));
    }
    const stream = this.#open().request(fields, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    return replyOf(stream);
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const { url, caPem } = this.#origin;
    const session = connect(url, { ca: caPem, ...{ strictSingleValueFields: false } });
    // its streams fail too
    session.on('error', () => undefined);
    this.#session = session;
    return session;
  }
}

function replyOf(stream: ClientHttp2Stream): Promise<RawReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
  const headers: Record<string, string> = {};
  const chunks: Buffer[] = [];
  stream.on('response', (_headers: object, _flags: number, raw: string[]) => {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const [name = '', value = ''] = [raw[index], raw[index + 1]];
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', reject);
  stream.on('end', () => {
    const { ':status': status, ...fields } = headers;
    const body = Buffer.concat(chunks);
    resolve({ status: Number(status), headers: fields, body, text: body.toString() });
  });
  return promise;
}
