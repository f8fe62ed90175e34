import { connect, type Socket } from 'node:net';
import type { RawReply, RawRequest } from './raw-request.ts';
import { ReplyReader } from './reply-reader.ts';

/** Replies that have not come, and who waits for them. */
interface Awaited {
  readonly reader: ReplyReader;
  readonly settled: PromiseWithResolvers<readonly RawReply[]>;
}

/**
 * A client that keeps its connection, as most do. Requests are sent byte for byte; those of one call are sent in one
 * piece, without waiting for replies (pipelined). When the gateway closes the connection, the next call opens another.
 */
export class KeptConnection {
  readonly #origin: URL;
  #socket: Socket | undefined;
  #awaited: Awaited | undefined;

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  /** The replies to `requests`; rejects when the connection is closed before the last. */
  ask(requests: readonly RawRequest[]): Promise<readonly RawReply[]> {
    return this.send(
      requests.map(requestText).join(''),
      requests.map(({ method = 'GET' }) => method),
    );
  }

  /** @param methods of the requests in `text`, in order */
  send(text: string, methods: readonly string[]): Promise<readonly RawReply[]> {
    if (this.#awaited) throw new Error('the connection is in use');
    const settled = Promise.withResolvers<readonly RawReply[]>();
    this.#awaited = { reader: new ReplyReader(methods), settled };
    this.#socket ??= this.#open();
    this.#socket.write(text, 'latin1');
    return settled.promise;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const { hostname, port } = this.#origin;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('data', (bytes: Buffer) => this.#received(reader => reader.push(bytes)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#received(reader => reader.end());
    });
    return socket;
  }

  #received(step: (reader: ReplyReader) => readonly RawReply[] | undefined): void {
    const awaited = this.#awaited;
    if (!awaited) return;
    try {
      const replies = step(awaited.reader);
      if (!replies) return;
      if (awaited.reader.isLast) this.close();
      this.#awaited = undefined;
      awaited.settled.resolve(replies);
    } catch (error) {
      this.#awaited = undefined;
      awaited.settled.reject(error);
    }
  }
}

function requestText({ method = 'GET', path, headers = {} }: RawRequest): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map(line => `${name}: ${line}\r\n`),
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
