import { createServer, type Server, type Socket } from 'node:net';
import { listenLocally } from './listen-locally.ts';

/** What a raw store does with the connection on which a request has arrived. */
export type RawAnswer = (socket: Socket, request: string) => void;

/**
 * A store of nothing but a socket: what it answers to a request is written by a test, byte by byte, so that it need be
 * no HTTP at all.
 */
export class RawStore {
  url = '';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Requests that have arrived, from request line to blank line. */
  readonly requests: string[] = [];

  private constructor(answer: RawAnswer) {
    this.#server = createServer(socket => {
      this.#sockets.add(socket);
      let received = '';
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
      socket.on('data', bytes => {
        received += bytes.toString('latin1');
        for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
          const request = received.slice(0, end + 4);
          received = received.slice(end + 4);
          this.requests.push(request);
          answer(socket, request);
        }
      });
    });
  }

  static async start(answer: RawAnswer): Promise<RawStore> {
    const store = new RawStore(answer);
    store.url = await listenLocally(store.#server);
    return store;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }
}
