import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';

export interface ConnectionRoomOptions {
  /** All connections, those that wait too. */
  readonly connections: number;
  /** What is sent to one that cannot be served: a whole answer. */
  readonly answerCrowded: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** So much of the room is for those that wait. */
const WAITING_SHARE = 1 / 4;
const WAIT_LIMIT_MS = 10_000;
const LINGER_MS = 500;
/** They are beyond the room, so there are few. */
const MAX_LINGERING = 24;
const MAKE_ROOM_STEP_MS = 100;
/** How long nobody has to wait before it is said that there is room again. */
const QUIET_MS = 5_000;

/**
 * Keeps the connections of a server below the limit of open files. Without that, libuv accepts and closes all that come
 * at the limit, without a word, and stores cannot be reached. Node.js cannot stop to accept: what is too much is accepted and
 * waits unread for another to close. What is beyond the room, or has waited for 10 s, is answered and closed.
 */
export class ConnectionRoom {
  readonly #options: ConnectionRoomOptions;
  readonly #adopt: (socket: Socket) => void;
  readonly #waiting = new Map<Socket, Timer>();
  /** Answered, and closed as soon as the client has read it. */
  readonly #lingering = new Set<Socket>();
  readonly #places: number;
  readonly #waitingPlaces: number;
  /** With the bytes that had moved when it was looked last. */
  readonly #served = new Map<Socket, number>();
  #isCrowded = false;
  #quiet: Timer | undefined;

  /** Takes the place of `server`'s own handling of connections; its other listeners stay. */
  constructor(server: Server, options: ConnectionRoomOptions) {
    this.#options = options;
    this.#waitingPlaces = Math.floor(options.connections * WAITING_SHARE);
    this.#places = options.connections - this.#waitingPlaces;
    const own = server.listeners('connection');
    server.removeAllListeners('connection');
    this.#adopt = socket => {
      for (const listener of own) Reflect.apply(listener, server, [socket]);
    };
    server.on('connection', (socket: Socket) => this.#enter(socket));
  }

  /** Those that wait are answered and closed: nobody is going to be served any more. */
  close(): void {
    for (const socket of [...this.#waiting.keys()]) {
      this.#leave(socket);
      this.#turnAway(socket);
    }
  }

  #enter(socket: Socket): void {
    if (this.#served.size < this.#places) this.#serve(socket);
    else if (this.#waiting.size < this.#waitingPlaces) this.#letWait(socket);
    else this.#turnAway(socket);
  }

  #serve(socket: Socket): void {
    this.#served.set(socket, -1);
    socket.once('close', () => {
      this.#served.delete(socket);
      this.#admit();
    });
    this.#adopt(socket);
  }

  #letWait(socket: Socket): void {
    const { clock } = this.#options;
    this.#becomeCrowded();
    const timer = clock.after(WAIT_LIMIT_MS, () => {
      this.#leave(socket);
      this.#turnAway(socket);
    });
    this.#waiting.set(socket, timer);
    socket.on('error', ignore);
    socket.once('close', () => this.#leave(socket));
    if (this.#waiting.size === 1) this.#makeRoom();
  }

  /** Connections that are kept for later requests make room while others wait. */
  #makeRoom(): void {
    if (this.#waiting.size === 0) return;
    for (const [socket, lastBytes] of this.#served) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes === lastBytes && isIdle(socket)) socket.destroy();
      else this.#served.set(socket, bytes);
    }
    this.#options.clock.after(MAKE_ROOM_STEP_MS, () => this.#makeRoom());
  }

  #leave(socket: Socket): void {
    this.#waiting.get(socket)?.cancel();
    this.#waiting.delete(socket);
  }

  /** The one that has waited longest takes a place that has come free. */
  #admit(): void {
    const [next] = this.#waiting.keys();
    if (!next || this.#served.size >= this.#places) return;
    this.#leave(next);
    next.off('error', ignore);
    this.#serve(next);
  }

  #turnAway(socket: Socket): void {
    this.#becomeCrowded();
    socket.on('error', ignore);
    socket.end(this.#options.answerCrowded());
    this.#linger(socket);
  }

  /** Closing with something unread would take the answer back on its way (RFC 9112 §9.6): what still comes is read first. */
  #linger(socket: Socket): void {
    const timer = this.#options.clock.after(LINGER_MS, () => socket.destroy());
    this.#lingering.add(socket);
    socket.once('close', () => {
      timer.cancel();
      this.#lingering.delete(socket);
    });
    socket.once('end', () => socket.destroy());
    socket.resume();
    const [oldest] = this.#lingering;
    if (this.#lingering.size > MAX_LINGERING) oldest?.destroy();
  }

  /** Said once, until nobody has had to wait for a while. */
  #becomeCrowded(): void {
    const { clock, logger, connections } = this.#options;
    this.#quiet?.cancel();
    this.#quiet = clock.after(QUIET_MS, () => this.#look());
    if (this.#isCrowded) return;
    this.#isCrowded = true;
    logger.warn(
      { connections },
      'the limit of open files allows no more connections: further ones wait (raise it with ulimit -n)',
    );
  }

  #look(): void {
    const { clock, logger } = this.#options;
    if (this.#waiting.size > 0) {
      this.#quiet = clock.after(QUIET_MS, () => this.#look());
      return;
    }
    this.#isCrowded = false;
    logger.info('there is room for connections again');
  }
}

/**
 * Whether a connection has been answered and waits for another request. node:http's own list of idle connections has
 * those as well whose first request is still on its way.
 */
function isIdle(socket: Socket & { readonly _httpMessage?: unknown }): boolean {
  return socket.bytesWritten > 0 && !socket._httpMessage;
}

function ignore(): void {
  // the client has gone; 'close' follows
}
