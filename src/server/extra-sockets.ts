import { createServer, type Server } from 'node:net';
import type { Logger } from '../base/logger.ts';

/**
 * The kernel spreads new connections evenly over the sockets that listen on a port, whether anybody accepts them or not,
 * and no other thread can close the socket of one that stands still. With so many more beside it, about one connection in
 * sixteen still goes there.
 */
const SOCKETS = 15;

/** Further listening sockets of an HTTP server on its own port, for a larger share of the connections. */
export class ExtraSockets {
  readonly #server: Server;
  readonly #logger: Logger;
  readonly #open = new Set<Server>();
  readonly #drained = new Set<Promise<void>>();

  /** @param server takes their connections as its own. */
  constructor(server: Server, logger: Logger) {
    this.#server = server;
    this.#logger = logger;
  }

  open(host: string, port: number): void {
    if (this.#open.size > 0) return;
    for (let index = 0; index < SOCKETS; index++) {
      // as node:http makes its own
      const extra = createServer({ allowHalfOpen: true, noDelay: true });
      extra.on('connection', socket => this.#server.emit('connection', socket));
      extra.on('error', err => {
        this.#open.delete(extra);
        this.#logger.warn({ err }, 'a further socket cannot listen on the port');
      });
      extra.listen({ host, port, reusePort: true, exclusive: true });
      this.#open.add(extra);
    }
  }

  /** Takes no more connections; those that came this way go on. */
  close(): void {
    for (const extra of this.#open) {
      const drained = new Promise<void>(resolve => extra.once('close', resolve));
      this.#drained.add(drained);
      void drained.then(() => this.#drained.delete(drained));
      // what the kernel has accepted by now is taken over in this turn of the event loop
      setImmediate(() => extra.close());
    }
    this.#open.clear();
  }

  /** Kept when all connections have ended that came this way, of sockets that are closed. */
  async drained(): Promise<void> {
    await Promise.all(this.#drained);
  }
}
