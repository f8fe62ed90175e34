import { createServer, type Server } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type AcceptOptions, onceAccepted } from './accept-queue.ts';

/**
 * With SO_REUSEPORT the kernel spreads new connections evenly over all listening sockets, even those of a thread that
 * is blocked, and no other thread can close that socket. With this many extra sockets, a blocked thread still gets
 * about one connection in sixteen.
 */
const SOCKETS = 15;

/** Extra listening sockets for an HTTP server on its own port, so that it gets a larger share of the connections. */
export class ExtraSockets {
  readonly #server: Server;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #open = new Set<Server>();
  /** Closed, or closing once their accept queues are empty. */
  readonly #closing = new Map<Server, Promise<void>>();

  /** @param server gets the connections of these sockets as if they were its own. */
  constructor(server: Server, logger: Logger, clock: Clock) {
    this.#server = server;
    this.#logger = logger;
    this.#clock = clock;
  }

  open(host: string, port: number): void {
    if (this.#open.size > 0) return;
    for (let index = 0; index < SOCKETS; index++) {
      // the same options as node:http uses for its own socket
      const extra = createServer({ allowHalfOpen: true, noDelay: true });
      extra.on('connection', socket => this.#server.emit('connection', socket));
      extra.on('error', err => {
        this.#open.delete(extra);
        this.#logger.warn({ err }, 'an extra listening socket failed');
      });
      extra.listen({ host, port, reusePort: true, exclusive: true });
      this.#open.add(extra);
    }
  }

  /** Stops listening once the accept queues are empty; connections already accepted continue. */
  close(accepting: AcceptOptions = { clock: this.#clock }): void {
    for (const extra of this.#open) {
      const drained = new Promise<void>(resolve => extra.once('close', resolve));
      this.#closing.set(extra, drained);
      void drained.then(() => this.#closing.delete(extra));
      onceAccepted(extra, accepting, () => extra.close());
    }
    this.#open.clear();
  }

  /** Stops listening at once: connections in the accept queues are reset. */
  closeNow(): void {
    this.close();
    for (const extra of this.#closing.keys()) extra.close();
  }

  /** Resolves when all connections of closed sockets have ended. */
  async drained(): Promise<void> {
    await Promise.all(this.#closing.values());
  }
}
