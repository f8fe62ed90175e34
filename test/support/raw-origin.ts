import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { OriginReceiver } from '../../src/backend/origin-call.ts';
import { OriginPool, type OriginPoolOptions } from '../../src/backend/origin-pools.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');

/** What to do with a connection on which `path` has been asked for. */
type Answer = (path: string, connection: Socket) => void;

/** A server that sends exactly the bytes that a test writes, in the test's pieces. */
export class RawOrigin {
  readonly #server: Server;
  readonly #protocol: 'http' | 'https';
  readonly #connections = new Set<Socket>();
  readonly #undo: () => void;

  private constructor(protocol: 'http' | 'https', answer: Answer) {
    this.#protocol = protocol;
    const onConnection = (connection: Socket) => this.#serve(connection, answer);
    if (protocol === 'http') {
      this.#undo = () => undefined;
      this.#server = createServer({ noDelay: true }, onConnection);
      return;
    }
    const before = getCACertificates();
    setDefaultCACertificates([...before, fixture('localhost-cert.pem')]);
    this.#undo = () => setDefaultCACertificates(before);
    const tls = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') };
    this.#server = createTlsServer({ ...tls, noDelay: true }, onConnection);
  }

  static async start(protocol: 'http' | 'https', answer: Answer): Promise<RawOrigin> {
    const origin = new RawOrigin(protocol, answer);
    origin.#server.listen(0, '127.0.0.1');
    await once(origin.#server, 'listening');
    return origin;
  }

  /** Connections to it, made as the gateway makes them. */
  pool(options: Partial<OriginPoolOptions> = {}): OriginPool {
    return new OriginPool(this.url, {
      connections: 8,
      timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
      lookup: (_host, { all }, callback) => {
        if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else callback(null, '127.0.0.1', 4);
      },
      ...options,
    });
  }

  get url(): string {
    return `${this.#protocol}://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#undo();
    for (const connection of this.#connections) connection.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(connection: Socket, answer: Answer): void {
    this.#connections.add(connection);
    connection.on('close', () => this.#connections.delete(connection)).on('error', () => undefined);
    let text = '';
    connection.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const path = text.split(' ')[1] ?? '';
        text = text.slice(end + 4);
        answer(path, connection);
      }
    });
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Asks for `path` and collects the answer; `onChunk` sees each piece of the body as it comes. */
export function ask(
  pool: OriginPool,
  path: string,
  onChunk: (chunk: Buffer, call: { pause(): void; resume(): void }) => void = () => undefined,
  method = 'GET',
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  let head: Pick<RawAnswer, 'status' | 'headers'> = { status: 0, headers: [] };
  const chunks: Buffer[] = [];
  const receiver: OriginReceiver = {
    answered: (status, headers) => {
      head = { status, headers };
    },
    arrived: chunk => {
      chunks.push(Buffer.from(chunk));
      onChunk(chunk, call);
    },
    ended: () => resolve({ ...head, body: Buffer.concat(chunks) }),
    failed: reject,
  };
  const call = pool.send({ method, path, headers: [] }, receiver);
  return promise;
}
