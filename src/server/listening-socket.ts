import { createServer, type Server } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { ListenError } from '../base/listen-error.ts';
import type { Logger } from '../base/logger.ts';
import { type AcceptOptions, onceAccepted } from './accept-queue.ts';
import { type AcceptSocket, ExtraSockets, socketOptions } from './extra-sockets.ts';
import { formatListenAddress, type ListenAddress, type TcpAddress } from './listen-address.ts';
import { listenUnix } from './unix-socket.ts';

interface ListeningOptions {
  readonly address: ListenAddress;
  /** Whether other threads listen on the same port (SO_REUSEPORT). */
  readonly reusePort: boolean;
  /** Gives what takes the connections of an address. */
  readonly accept: (address: ListenAddress) => AcceptSocket;
  readonly clock: Clock;
  readonly logger: Logger;
}

const BACKLOG = 4_096;

/** A listening socket at one address, and further ones there while it covers for another thread. */
export class ListeningSocket {
  /** With the port that was bound. */
  readonly address: ListenAddress;
  readonly #server: Server;
  readonly #extra: ExtraSockets | undefined;
  readonly #remove: () => void;
  readonly #clock: Clock;
  readonly #closed: Promise<void>;

  private constructor(
    server: Server,
    address: ListenAddress,
    accept: AcceptSocket,
    { logger, clock }: ListeningOptions,
    remove: () => void = () => undefined,
  ) {
    this.address = address;
    this.#server = server;
    this.#remove = remove;
    this.#clock = clock;
    this.#extra = address.kind === 'tcp' ? new ExtraSockets(address, accept, logger, clock) : undefined;
    this.#closed = new Promise(resolve => server.once('close', resolve));
  }

  /** @throws ListenError when the address cannot be bound */
  static async open(options: ListeningOptions): Promise<ListeningSocket> {
    const { address, logger, reusePort } = options;
    const accept = options.accept(address);
    const server = createServer(socketOptions, accept);
    if (address.kind === 'unix') {
      const remove = await listenUnix(server, address, BACKLOG);
      server.on('error', err =>
        logger.warn({ err, address: formatListenAddress(address) }, 'a listening socket failed'),
      );
      return new ListeningSocket(server, address, accept, options, remove);
    }
    const port = await listenTcp(server, address, reusePort);
    server.on('error', err =>
      logger.warn({ err, address: formatListenAddress(address) }, 'a listening socket failed'),
    );
    return new ListeningSocket(server, { ...address, port }, accept, options);
  }

  /** Whether to also take connections meant for another thread on the same port, as far as the platform allows. */
  cover(isCovering: boolean): void {
    if (isCovering) this.#extra?.open();
    else this.#extra?.close();
  }

  /** Stops listening once the accept queue is empty; connections already accepted continue. */
  close(accepting: AcceptOptions = { clock: this.#clock }): void {
    this.#extra?.close(accepting);
    onceAccepted(this.#server, accepting, () => this.#stopListening());
  }

  /** Stops listening at once: connections in the accept queue are reset. */
  closeNow(): void {
    this.#extra?.closeNow();
    this.#stopListening();
  }

  /** Resolves when the socket is closed and all its connections have ended. */
  async drained(): Promise<void> {
    await Promise.all([this.#closed, this.#extra?.drained()]);
  }

  #stopListening(): void {
    this.#remove();
    this.#server.close();
  }
}

function listenTcp(server: Server, address: TcpAddress, reusePort: boolean): Promise<number> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(new ListenError(formatListenAddress(address), error));
    server.once('error', failed);
    server.listen({ host, port, reusePort, exclusive: true, backlog: BACKLOG }, () => {
      server.off('error', failed);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound ? bound.port : port);
    });
  });
}

/**
 * Opens a listening socket at each address.
 *
 * @throws ListenError when one of them cannot be bound; the others are closed then
 */
export async function openSockets(
  addresses: readonly ListenAddress[],
  options: Omit<ListeningOptions, 'address'>,
): Promise<readonly ListeningSocket[]> {
  const opened: ListeningSocket[] = [];
  try {
    for (const address of addresses) opened.push(await ListeningSocket.open({ ...options, address }));
    return opened;
  } catch (error) {
    for (const socket of opened) socket.closeNow();
    throw error;
  }
}
