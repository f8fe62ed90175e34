import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from '../base/client-quota.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { peerOf } from '../transport/peer.ts';
import { runningResponse } from '../transport/running-response.ts';
import { ConnectionQueue } from './connection-queue.ts';
import { type CloseCandidate, connectionsToClose } from './connections-to-close.ts';
import type { OpenConnection } from './open-connections.ts';

/** Where connections come in. */
export interface Entrance {
  /** Whether they begin with a TLS handshake: before it, nothing can be answered. */
  readonly isSecure: boolean;
  /** Serves a connection that has a place. */
  readonly serve: (socket: Socket) => void;
}

export interface ConnectionLimiterOptions {
  /** What is known of a connection that is served, by the socket that was accepted. */
  readonly find: (socket: Socket) => OpenConnection | undefined;
  /** All connections, including waiting ones. */
  readonly connections: number;
  /** The complete response for a connection that cannot be served; called once for each. */
  readonly answerCrowded: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The share of the connections that may be waiting ones. */
const WAITING_SHARE = 1 / 4;
const WAIT_LIMIT_MS = 10_000;
const LINGER_MS = 500;
/** These exceed `connections`, so there are only a few. */
const MAX_LINGERING = 24;
const MAKE_ROOM_STEP_MS = 100;
/** After this long without waiting connections, a log line says that connections are accepted again. */
const QUIET_MS = 5_000;

/** A connection that is being served. */
interface ServedConnection extends CloseCandidate {
  readonly socket: Socket;
  isIdle: boolean;
  unusedChecks: number;
  waitingChecks: number;
  /** Byte counts at the last check. */
  readBytes: number;
  writtenBytes: number;
}

interface WaitingConnection {
  readonly client: string;
  readonly entrance: Entrance;
  readonly timer: Timer;
}

/**
 * Keeps the connections of a server below the limit of open files. At that limit, libuv silently accepts and closes all
 * new connections, and connections to stores fail too. Node.js cannot stop accepting, so a connection beyond the limit
 * is accepted but not read until another one closes. When too many wait, or one has waited for 10 s, it is answered
 * with an error and closed.
 *
 * A client may use every place while no one else needs one. Waiting connections get free places in turn, starting with
 * the client that has the fewest. Unused places are freed for them, starting with the client that has the most.
 */
export class ConnectionLimiter {
  readonly #options: ConnectionLimiterOptions;
  readonly #waiting = new Map<Socket, WaitingConnection>();
  readonly #queue = new ConnectionQueue<Socket>();
  /** Answered; closed as soon as the client has read the answer. */
  readonly #lingering = new Set<Socket>();
  #places = 0;
  #waitingPlaces = 0;
  readonly #served = new Map<Socket, ServedConnection>();
  /** Places per client; clients without one have no entry. */
  readonly #held = new Map<string, number>();
  readonly #heldBy = (client: string): number => this.#held.get(client) ?? 0;
  /** Whether the periodic check of served connections is running. */
  #isChecking = false;
  #isCrowded = false;
  #isClosed = false;
  #quiet: Timer | undefined;

  constructor(options: ConnectionLimiterOptions) {
    this.#options = options;
    this.limit(options.connections);
  }

  /** Changes how many connections there may be, waiting ones included; those beyond it stay. */
  limit(connections: number): void {
    this.#waitingPlaces = Math.floor(connections * WAITING_SHARE);
    this.#places = connections - this.#waitingPlaces;
  }

  /** Answers and closes all waiting connections, and those that would have to wait: none will be served any more. */
  close(): void {
    this.#isClosed = true;
    for (const socket of [...this.#queue.connections()]) {
      this.#dismiss(socket);
    }
  }

  /** Closes the connections that still read their answers. */
  cutOff(): void {
    this.close();
    for (const socket of this.#lingering) socket.destroy();
  }

  /** Serves a new connection through `entrance`, at once or when there is a place. */
  accept(socket: Socket, entrance: Entrance): void {
    const client = clientOf(peerOf(socket).address);
    if (this.#served.size < this.#places) this.#serve(socket, client, entrance);
    else if (this.#isClosed) this.#reject(socket, entrance);
    else if (this.#waiting.size < this.#waitingPlaces || this.#displaceFor(client))
      this.#enqueue(socket, client, entrance);
    else this.#reject(socket, entrance);
  }

  #serve(socket: Socket, client: string, { serve }: Entrance): void {
    this.#served.set(socket, {
      ...{ socket, client, isIdle: false, unusedChecks: 0, waitingChecks: 0 },
      ...{ readBytes: -1, writtenBytes: -1 },
    });
    this.#held.set(client, this.#heldBy(client) + 1);
    socket.once('close', () => {
      this.#served.delete(socket);
      const left = this.#heldBy(client) - 1;
      if (left > 0) this.#held.set(client, left);
      else this.#held.delete(client);
      this.#admitNext();
    });
    serve(socket);
  }

  #enqueue(socket: Socket, client: string, entrance: Entrance): void {
    const { clock } = this.#options;
    this.#becomeCrowded();
    const timer = clock.after(WAIT_LIMIT_MS, () => this.#dismiss(socket));
    this.#waiting.set(socket, { client, entrance, timer });
    this.#queue.add(client, socket);
    socket.on('error', ignore);
    socket.once('close', () => this.#dequeue(socket));
    if (!this.#isChecking) this.#makeRoom();
  }

  /**
   * Once the queue is full, a client with few connections displaces a waiting connection of the client with the most.
   */
  #displaceFor(client: string): boolean {
    const displaced = this.#queue.toDisplaceFor(client, this.#heldBy);
    if (!displaced) return false;
    this.#dismiss(displaced);
    return true;
  }

  /** Closes connections that do not use their places while others wait. */
  #makeRoom(): void {
    this.#isChecking = this.#waiting.size > 0;
    if (!this.#isChecking) return;
    for (const connection of this.#served.values())
      recordUse(connection, this.#options.find(connection.socket));
    for (const connection of connectionsToClose(this.#served.values(), this.#queue.clients()))
      this.#giveUp(connection);
    this.#options.clock.after(MAKE_ROOM_STEP_MS, () => this.#makeRoom());
  }

  /** Frees the place at once; a request whose answer has not begun is answered before. */
  #giveUp({ socket, waitingChecks }: ServedConnection): void {
    if (waitingChecks === 0) {
      socket.destroy();
      return;
    }
    const carrying = this.#options.find(socket)?.socket ?? socket;
    carrying.on('error', ignore);
    carrying.write(this.#options.answerCrowded());
    carrying.destroySoon();
  }

  /** Refuses a waiting connection. */
  #dismiss(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (!waiting) return;
    this.#dequeue(socket);
    this.#reject(socket, waiting.entrance);
  }

  #dequeue(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (!waiting) return;
    waiting.timer.cancel();
    this.#waiting.delete(socket);
    this.#queue.remove(waiting.client, socket);
  }

  /** Gives a free place to a waiting connection. */
  #admitNext(): void {
    if (this.#served.size >= this.#places) return;
    const next = this.#queue.next(this.#heldBy);
    const waiting = next && this.#waiting.get(next);
    if (!waiting) return;
    this.#dequeue(next);
    next.off('error', ignore);
    this.#serve(next, waiting.client, waiting.entrance);
  }

  #reject(socket: Socket, { isSecure }: Entrance): void {
    this.#becomeCrowded();
    socket.on('error', ignore);
    // counted also where the client cannot be told
    const answer = this.#options.answerCrowded();
    if (isSecure) {
      socket.destroy();
      return;
    }
    socket.end(answer);
    this.#linger(socket);
  }

  /**
   * Closing a socket with unread data resets the connection, and the client may lose the answer (RFC 9112 §9.6). So the
   * rest is read first.
   */
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

  /** Logged once, until no connection has had to wait for `QUIET_MS`. */
  #becomeCrowded(): void {
    const { clock, logger, connections } = this.#options;
    this.#quiet?.cancel();
    this.#quiet = clock.after(QUIET_MS, () => this.#checkQuiet());
    if (this.#isCrowded) return;
    this.#isCrowded = true;
    logger.warn(
      { connections },
      'the limit of open files allows no more connections: further ones wait (raise it with ulimit -n)',
    );
  }

  #checkQuiet(): void {
    const { clock, logger } = this.#options;
    if (this.#waiting.size > 0) {
      this.#quiet = clock.after(QUIET_MS, () => this.#checkQuiet());
      return;
    }
    this.#isCrowded = false;
    logger.info('connections are accepted again without waiting');
  }
}

/** Records whether the connection was used since the last check. */
function recordUse(connection: ServedConnection, open: OpenConnection | undefined): void {
  const { socket = connection.socket, streams = 0 } = open ?? {};
  const { bytesRead, bytesWritten, writableLength } = socket;
  const running = runningResponse(socket);
  const wasUsed = bytesWritten !== connection.writtenBytes || running !== undefined || streams > 0;
  const hasMoved = wasUsed || bytesRead !== connection.readBytes;
  connection.unusedChecks = wasUsed ? 0 : connection.unusedChecks + 1;
  connection.isIdle = bytesWritten > 0 && !hasMoved;
  // neither a body that nobody reads nor the beginning of a next request helps the one that waits
  const isSending = bytesRead !== connection.readBytes && hasReadBody(running);
  const isStill = !isSending && bytesWritten === connection.writtenBytes;
  // the streams of a connection are not told apart: it is not given up while one of them waits
  const hasBegun = running === undefined || running.headersSent || writableLength > 0;
  connection.waitingChecks = isStill && !hasBegun ? connection.waitingChecks + 1 : 0;
  connection.readBytes = bytesRead;
  connection.writtenBytes = bytesWritten;
}

/** Whether somebody reads the unfinished body of the running request; iteration listens for 'readable'. */
function hasReadBody(running: ServerResponse | undefined): boolean {
  if (running === undefined || running.req.complete) return false;
  return running.req.listenerCount('data') > 0 || running.req.listenerCount('readable') > 0;
}

function ignore(): void {
  // the client has gone; 'close' follows
}
