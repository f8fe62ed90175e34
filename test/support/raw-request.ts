import { Agent, request } from 'node:http';

/** A reply as it came over the wire, its body whole. */
export interface RawReply {
  readonly status: number;
  /** Names in lower case; values as sent, one character a byte. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
}

export interface RawRequest {
  readonly method?: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** From which address of this machine it comes. */
  readonly localAddress?: string;
}

/** Sends a request that no client library has tidied up. */
export async function rawRequest(origin: string, options: RawRequest): Promise<RawReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: false });
  const headers = Object.entries(options.headers ?? {}).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? value : [...value],
  ]);
  const { body, localAddress } = options;
  if (body !== undefined && !headers.some(([name]) => name.toLowerCase() === 'content-length')) {
    headers.push(['content-length', String(Buffer.byteLength(body))]);
  }
  const message = request(
    {
      hostname,
      port,
      agent,
      ...(localAddress !== undefined && { localAddress }),
      path: options.path,
      method: options.method ?? 'GET',
      headers: Object.fromEntries(headers),
    },
    response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const received = Buffer.concat(chunks);
        const replyHeaders: Record<string, string> = {};
        for (const [name, value] of Object.entries(response.headersDistinct)) {
          if (value) replyHeaders[name] = value.join(', ');
        }
        resolve({
          status: response.statusCode ?? 0,
          headers: replyHeaders,
          body: received,
          text: received.toString(),
        });
      });
    },
  );
  message.on('error', reject);
  // bytes, and not with the end: Node changes those of headers that it sends with a text or with a known length
  if (body !== undefined && body.length > 0) message.write(Buffer.from(body));
  message.end();
  return promise;
}
