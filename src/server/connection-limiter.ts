import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from '../base/client-quota.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { runningResponse } from '../transport/running-response.ts';
import { ConnectionQueue } from './connection-queue.ts';
import { type CloseCandidate, connectionsToClose } from './connections-to-close.ts';

export interface ConnectionLimiterOptions {
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

/** A connection that has a place. */
interface ServedConnection extends CloseCandidate {
  readonly socket: Socket;
  isIdle: boolean;
  looksUnanswered: number;
  /** What had moved at the last look. */
  readBytes: number;
  writtenBytes: number;
}

interface WaitingConnection {
  readonly client: string;
  readonly timer: Timer;
}

/**
 * Keeps the connections of a server below the limit of open files. Without that, libuv accepts and closes all that come
 * at the limit, without a word, and stores cannot be reached. Node.js cannot stop to accept: what is too much is accepted and
 * waits unread for another to close. What is beyond the room, or has waited for 10 s, is answered and closed.
 *
 * A client may have all places while nobody else asks for one. Those that wait get places in turns, the client that has
 * least first, and places that are not used are freed for them, of the client that has most first.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimiterOptions;
  readonly #adopt: (socket: Socket) => void;
  readonly #waiting = new Map<Socket, WaitingConnection>();
  readonly #line = new ConnectionQueue<Socket>();
  /** Answered, and closed as soon as the client has read it. */
  readonly #lingering = new Set<Socket>();
  readonly #places: number;
  readonly #waitingPlaces: number;
  readonly #served = new Map<Socket, ServedConnection>();
  /** Clients without a place are not in it. */
  readonly #held = new Map<string, number>();
  readonly #heldBy = (client: string): number => this.#held.get(client) ?? 0;
  /** Whether those that are served are looked at now and then. */
  #isLooking = false;
  #isCrowded = false;
  #quiet: Timer | undefined;

  /** Takes the place of `server`'s own handling of connections; its other listeners stay. */
  constructor(server: Server, options: ConnectionLimiterOptions) {
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
    for (const socket of [...this.#line.connections()]) {
      this.#leave(socket);
      this.#turnAway(socket);
    }
  }

  #enter(socket: Socket): void {
    const client = clientOf(socket.remoteAddress);
    if (this.#served.size < this.#places) this.#serve(socket, client);
    else if (this.#waiting.size < this.#waitingPlaces || this.#displaceFor(client))
      this.#letWait(socket, client);
    else this.#turnAway(socket);
  }

  #serve(socket: Socket, client: string): void {
    this.#served.set(socket, {
      ...{ socket, client, isIdle: false, looksUnanswered: 0 },
      ...{ readBytes: -1, writtenBytes: -1 },
    });
    this.#held.set(client, this.#heldBy(client) + 1);
    socket.once('close', () => {
      this.#served.delete(socket);
      const left = this.#heldBy(client) - 1;
      if (left > 0) this.#held.set(client, left);
      else this.#held.delete(client);
      this.#admit();
    });
    this.#adopt(socket);
  }

  #letWait(socket: Socket, client: string): void {
    const { clock } = this.#options;
    this.#becomeCrowded();
    const timer = clock.after(WAIT_LIMIT_MS, () => {
      this.#leave(socket);
      this.#turnAway(socket);
    });
    this.#waiting.set(socket, { client, timer });
    this.#line.add(client, socket);
    socket.on('error', ignore);
    socket.once('close', () => this.#leave(socket));
    if (!this.#isLooking) this.#makeRoom();
  }

  /** All that may wait do: one of the client that has most goes for one of a client that has less. */
  #displaceFor(client: string): boolean {
    const displaced = this.#line.toDisplaceFor(client, this.#heldBy);
    if (!displaced) return false;
    this.#leave(displaced);
    this.#turnAway(displaced);
    return true;
  }

  /** ConnectionCounter that do not use their places make room while others wait. */
  #makeRoom(): void {
    this.#isLooking = this.#waiting.size > 0;
    if (!this.#isLooking) return;
    for (const connection of this.#served.values()) look(connection);
    for (const { socket } of connectionsToClose(this.#served.values(), this.#line.clients()))
      socket.destroy();
    this.#options.clock.after(MAKE_ROOM_STEP_MS, () => this.#makeRoom());
  }

  #leave(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (!waiting) return;
    waiting.timer.cancel();
    this.#waiting.delete(socket);
    this.#line.remove(waiting.client, socket);
  }

  /** One that waits takes a place that has come free. */
  #admit(): void {
    if (this.#served.size >= this.#places) return;
    const next = this.#line.next(this.#heldBy);
    const waiting = next && this.#waiting.get(next);
    if (!waiting) return;
    this.#leave(next);
    next.off('error', ignore);
    this.#serve(next, waiting.client);
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

/** Finds out whether a connection has used its place since the last look. */
function look(connection: ServedConnection): void {
  const { bytesRead, bytesWritten } = connection.socket;
  const wasUsed =
    bytesWritten !== connection.writtenBytes || runningResponse(connection.socket) !== undefined;
  const hasMoved = wasUsed || bytesRead !== connection.readBytes;
  connection.looksUnanswered = wasUsed ? 0 : connection.looksUnanswered + 1;
  connection.isIdle = bytesWritten > 0 && !hasMoved;
  connection.readBytes = bytesRead;
  connection.writtenBytes = bytesWritten;
}

function ignore(): void {
  // the client has gone; 'close' follows
}
