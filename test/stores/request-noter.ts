import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { StoreRequest } from './real-store.ts';

/** Gives bytes on to a store as they come, so that signatures stay right, and notes the requests among them: none may have a body. */
export class RequestNoter {
  readonly requests: StoreRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer({ noDelay: true }, client => {
      const store = connect({ port, host: '127.0.0.1', noDelay: true });
      this.#note(client);
      client.pipe(store);
      store.pipe(client);
      for (const [one, other] of [
        [client, store],
        [store, client],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  /** @param port of the store, on the loopback interface. */
  static async start(port: number): Promise<RequestNoter> {
    const noter = new RequestNoter(port);
    noter.#server.listen(0, '127.0.0.1');
    await once(noter.#server, 'listening');
    return noter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #note(client: Socket): void {
    let head = '';
    client.on('data', (chunk: Buffer) => {
      const heads = (head + chunk.toString('latin1')).split('\r\n\r\n');
      head = heads.pop() ?? '';
      for (const each of heads) {
        const [method = '', target = ''] = each.split(' ', 2);
        const [path = '', query = ''] = target.split('?', 2);
        this.requests.push({ method, path, query });
      }
    });
  }
}
