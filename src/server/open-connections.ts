import type { IncomingMessage } from 'node:http';
import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { ClientQuota, clientOf } from '../base/client-quota.ts';
import { peerOf } from '../transport/peer.ts';
import { type ConnectionLimits, connectionQuota } from './client-limits.ts';
import type { SecureConnection } from './tls/tls-acceptor.ts';

/** Those of this folder and of node:http on one connection; above the default of 10, node prints a warning. */
const MAX_LISTENERS = 32;

/**
 * An open connection, with what each periodic sweep remembers of it since its last check. Over TLS it has no protocol
 * before the handshake is complete.
 */
export interface OpenConnection {
  readonly accepted: Socket;
  /** What carries the requests: the connection as it was accepted, or after the handshake the TLS connection over it. */
  socket: Socket;
  protocol: 'http/1.1' | 'h2' | undefined;
  /** Of HTTP/2. */
  session: Pick<Http2Session, 'closed' | 'destroyed'> | undefined;
  /** Open streams of HTTP/2. */
  streams: number;
  /** idle-connections.ts */
  readonly movement: { bytes: number; sweeps: number };
  /** departed-clients.ts: checks that could not tell whether the client of the running response is still there. */
  departureChecks: number;
  /** departed-clients.ts: whether an empty write is under way. */
  isProbed: boolean;
  /** slow-senders.ts */
  readonly sending: Sending;
}

/** The state of a connection since its client was last expected to start sending. */
export interface Sending {
  /** The request whose body is incomplete; undefined between requests. */
  body: IncomingMessage | undefined;
  readBytes: number;
  writtenBytes: number;
  /** How long it has been measured since then. */
  measuredMs: number;
}

/** The open connections of a listener, within the limits in all and per client. */
export class OpenConnections implements Iterable<OpenConnection> {
  /** By the connection as it was accepted. */
  readonly #open = new Map<Socket, OpenConnection>();
  readonly #quota: ClientQuota;

  constructor(limits: ConnectionLimits) {
    this.#quota = new ClientQuota(connectionQuota(limits));
  }

  /** Changes the limits; connections that are open beyond them stay. */
  limit(limits: ConnectionLimits): void {
    this.#quota.limit(connectionQuota(limits));
  }

  [Symbol.iterator](): Iterator<OpenConnection> {
    return this.#open.values();
  }

  /** @param accepted the connection as it was accepted */
  find(accepted: Socket): OpenConnection | undefined {
    return this.#open.get(accepted);
  }

  /**
   * Counts a new connection.
   *
   * @param protocol undefined where a handshake comes first
   * @returns false beyond the limits; a refused connection is checked like any other until it is closed
   */
  add(socket: Socket, protocol: 'http/1.1' | undefined): boolean {
    socket.setMaxListeners(MAX_LISTENERS);
    const client = clientOf(peerOf(socket).address);
    const isAdmitted = this.#quota.take(client);
    this.#open.set(socket, {
      ...{ accepted: socket, socket, protocol, session: undefined, streams: 0 },
      ...{ departureChecks: 0, isProbed: false },
      movement: { bytes: 0, sweeps: 0 },
      sending: { body: undefined, readBytes: 0, writtenBytes: 0, measuredMs: 0 },
    });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (isAdmitted) this.#quota.giveBack(client);
    });
    return isAdmitted;
  }

  /** The handshake of a connection is complete. */
  secured({ accepted, secure, protocol }: SecureConnection): OpenConnection | undefined {
    const connection = this.#open.get(accepted);
    if (!connection) return undefined;
    secure.setMaxListeners(MAX_LISTENERS);
    connection.socket = secure;
    connection.protocol = protocol;
    return connection;
  }
}
