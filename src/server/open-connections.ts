import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ClientQuota, clientOf } from '../base/client-quota.ts';
import type { ClientLimits } from './client-limits.ts';

/** Those of this folder and of node:http on one connection; above the default of 10, node prints a warning. */
const MAX_LISTENERS = 32;

/** An open connection, with what each periodic sweep remembers of it since its last check. */
export interface OpenConnection {
  readonly socket: Socket;
  /** idle-connections.ts */
  readonly movement: { bytes: number; sweeps: number };
  /** departed-clients.ts: checks that could not tell whether the client of the running response is still there. */
  departureChecks: number;
  /** slow-senders.ts */
  readonly sending: Sending;
}

/** The state of a connection since its client was last expected to start sending. */
export interface Sending {
  /** The request whose body is incomplete; undefined between requests. */
  body: IncomingMessage | undefined;
  readBytes: number;
  writtenBytes: number;
  /** The number of checks since the client began to send. */
  checks: number;
}

/** The open connections of a server, within the limits in all and per client. */
export class OpenConnections implements Iterable<OpenConnection> {
  readonly #open = new Set<OpenConnection>();
  readonly #quota: ClientQuota;
  readonly #refuse: (socket: Socket) => void;

  /** @param refuse answers and closes a connection beyond the limits */
  constructor(
    server: Server<typeof IncomingMessage>,
    { connections, connectionsPerAddress }: Pick<ClientLimits, 'connections' | 'connectionsPerAddress'>,
    refuse: (socket: Socket) => void,
  ) {
    this.#quota = new ClientQuota({ inAll: connections, perClient: connectionsPerAddress });
    this.#refuse = refuse;
    server.on('connection', socket => this.#opened(socket));
  }

  [Symbol.iterator](): Iterator<OpenConnection> {
    return this.#open.values();
  }

  /** A refused connection is checked like any other until it is closed. */
  #opened(socket: Socket): void {
    socket.setMaxListeners(MAX_LISTENERS);
    const client = clientOf(socket.remoteAddress);
    const isAdmitted = this.#quota.take(client);
    const connection = {
      socket,
      movement: { bytes: 0, sweeps: 0 },
      departureChecks: 0,
      sending: { body: undefined, readBytes: 0, writtenBytes: 0, checks: 0 },
    };
    this.#open.add(connection);
    socket.once('close', () => {
      this.#open.delete(connection);
      if (isAdmitted) this.#quota.giveBack(client);
    });
    if (!isAdmitted) this.#refuse(socket);
  }
}
