import type { LookupFunction, OnReadOpts, Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { BodyEnd } from './body-framing.ts';
import { BufferedConnection, type Parsing } from './buffered-connection.ts';
import type { AnsweringConnection, ExpectedBody } from './expected-body.ts';
import { ParseBudget } from './parse-budget.ts';
import { readAfterWriteFailure } from './read-after-write-failure.ts';
import { resetWhenCut } from './reset-when-cut.ts';
import type { ServerTls } from './server-tls.ts';

/** Size of the shared read buffer. */
const READ_BYTES = 256 * 1024;

interface ConnectorOptions {
  readonly connectMs: number;
  readonly lookup: LookupFunction | undefined;
  readonly tls?: ServerTls | undefined;
}

/**
 * Connects as undici does, but all connections read into one shared buffer. Otherwise a large body would allocate a
 * Buffer per 64 KiB, which costs V8 a full collection every 30 MB and the system as many new pages.
 *
 * undici keeps the names and values of header and trailer fields as views of its input until the section is complete
 * (`onHeaderField` in its client-h1.js), so these must not be in the shared buffer. It keeps nothing of a body: data is
 * passed on synchronously, and its parser reports nothing about chunk-size lines (its imports have no callback for
 * them). So bytes that are certain to be data or plain chunk-size lines (`BodyFraming`) are parsed in place. Anything
 * else is copied first: heads, trailers, chunk extensions, bytes after a body, and bodies whose end the head does not
 * delimit by exactly one rule.
 */
export class ReadBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  readonly #connections = new WeakMap<Socket, BufferedConnection>();
  readonly #parsing: Parsing;

  /** @param nowMs a monotonic clock, in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#parsing = { connection: undefined, budget: new ParseBudget(nowMs) };
  }

  connector({ connectMs, lookup, tls = {} }: ConnectorOptions): buildConnector.connector {
    const connections = this.#connections;
    const onread: OnReadOpts & ThisType<Socket> = {
      buffer: this.#buffer,
      callback(lengthBytes, bytes) {
        const arrived = Buffer.from(bytes.buffer, bytes.byteOffset, lengthBytes);
        return connections.get(this)?.arrived(arrived) ?? refuseEarly(this);
      },
    };
    const { ca, cert, key, serverName, insecureSkipVerify = false } = tls;
    const connect = buildConnector({
      ...{ timeout: connectMs, allowH2: false, onread },
      ...(lookup && { lookup }),
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && key !== undefined && { cert, key }),
      // else NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would have any certificate accepted
      rejectUnauthorized: !insecureSkipVerify,
    });
    const named = serverName === undefined ? {} : { servername: serverName };
    return (target, callback) => {
      connect({ ...target, ...named }, (error, socket) => {
        if (error) {
          callback(error, null);
          return;
        }
        const connection = new BufferedConnection(socket, this.#parsing);
        connections.set(socket, connection);
        resetWhenCut(socket);
        readAfterWriteFailure(socket, () => connection.passOnRest());
        callback(null, socket);
      });
    };
  }

  /** The connection whose head undici is reporting. Must be called during that report. */
  get answering(): AnsweringConnection | undefined {
    return this.#parsing.connection?.socket;
  }

  /** Announces that a head follows what undici is reporting. Must be called during that report. */
  expectHead(): void {
    this.#parsing.connection?.expectHead();
  }

  /** Announces the body that follows the head undici is reporting. Must be called during that report. */
  expectBody(end: BodyEnd): ExpectedBody | undefined {
    this.#parsing.connection?.expectBody(end);
    return this.#parsing.connection;
  }
}

/** An HTTP server does not send before it receives a request. */
function refuseEarly(socket: Socket): boolean {
  socket.destroy(new Error('the server sent bytes before the connection was set up'));
  return false;
}
