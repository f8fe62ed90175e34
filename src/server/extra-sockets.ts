import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type AcceptOptions, onceAccepted } from './accept-queue.ts';
import type { TcpAddress } from './listen-address.ts';

/** Takes a new connection. */
export type AcceptSocket = (socket: Socket) => void;

/** Clients may half-close: pending answers are still sent. */
export const socketOptions = { allowHalfOpen: true, noDelay: true };

/**
 * With SO_REUSEPORT the kernel spreads new connections evenly over all listening sockets, even those of a thread that
 * is blocked, and no other thread can close that socket. With this many extra sockets, a blocked thread still gets
 * about one connection in sixteen.
 */
const SOCKETS = 15;

/** Extra listening sockets on the address of another one, so that it gets a larger share of the connections. */
export class ExtraSockets {
  readonly #address: TcpAddress;
  readonly #accept: AcceptSocket;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #open = new Set<Server>();
  /** Closed, or closing once their accept queues are empty. */
  readonly #closing = new Map<Server, Promise<void>>();

  /** @param address with the port that is in use */
  constructor(address: TcpAddress, accept: AcceptSocket, logger: Logger, clock: Clock) {
    this.#address = address;
    this.#accept = accept;
    this.#logger = logger;
    this.#clock = clock;
  }

  open(): void {
    if (this.#open.size > 0) return;
    const { host, port } = this.#address;
    for (let index = 0; index < SOCKETS; index++) {
      const extra = createServer(socketOptions);
      extra.on('connection', this.#accept);
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
