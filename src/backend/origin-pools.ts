import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Client, type Dispatcher, Pool } from 'undici';
import { ReadBuffer } from '../transport/read-buffer.ts';
import type { ServerTls } from '../transport/server-tls.ts';
import { OriginCall, type OriginConnections, type OriginReceiver } from './origin-call.ts';
import { RepeatedAnswers } from './repeated-answers.ts';

/** Timeouts of an origin, in milliseconds. */
interface OriginTimeouts {
  readonly connectMs: number;
  /** From the request to the answer's head. */
  readonly firstByteMs: number;
  /** Between bytes of the answer. */
  readonly idleMs: number;
}

/** Connection settings of an origin. */
export interface OriginPoolOptions {
  /** Connections that may be open at the same time; further requests wait. */
  readonly connections: number;
  readonly timeouts: OriginTimeouts;
  /** Resolves host names; by default the system's resolver. */
  readonly lookup?: LookupFunction;
  readonly tls?: ServerTls | undefined;
}

/** A request as it is sent; the path is not normalised. */
interface OriginRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values alternating. The length of a streamed body is among them. */
  readonly headers: string[];
  readonly body?: Uint8Array | Readable;
  /**
   * Instead of `firstByteMs` and `idleMs`: how long the origin may take nothing of the body, not answer after it, or send
   * nothing more of its answer.
   */
  readonly answerMs?: number;
  /**
   * Whether the connection is closed after an answer from 300 on: the origin may have left the body unread and still keep
   * the connection, on which nothing more would be answered then (RFC 9112 §9.3). What lies in the buffers of the
   * system counts as sent here.
   */
  readonly closesIfRefused?: boolean;
}

const nothing = () => undefined;

/**
 * undici's Client returns false both when it is busy and when it refuses a request as malformed. Pool takes that for
 * busy and does not use the client again until it drains, but a client that took nothing never does: each such request
 * would cost a connection.
 */
class OriginClient extends Client {
  override dispatch(request: Dispatcher.DispatchOptions, call: Dispatcher.DispatchHandler): boolean {
    const isFree = super.dispatch(request, call);
    return isFree || (call instanceof OriginCall && call.wasRefused);
  }
}

/** Keep-alive connections to one origin. */
export class OriginPool {
  readonly #pool: Pool;
  readonly #connections: OriginConnections;

  /** @param readBuffer may be shared by the pools of one thread */
  constructor(
    origin: string,
    { connections, timeouts, lookup, tls }: OriginPoolOptions,
    readBuffer = new ReadBuffer(),
  ) {
    this.#connections = { readBuffer, repeated: new RepeatedAnswers() };
    this.#pool = new Pool(origin, {
      factory: (url, options: Client.Options) => new OriginClient(url, options),
      connections,
      connect: readBuffer.connector({ connectMs: timeouts.connectMs, lookup, tls }),
      headersTimeout: timeouts.firstByteMs,
      bodyTimeout: timeouts.idleMs,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 64 * 1024,
      // the read buffer is tested only with the default parser, so an environment variable must not select another
      useMilo: false,
    });
  }

  /** @param onEnd called once, when the call has ended in any way */
  send(
    { answerMs, closesIfRefused, ...request }: OriginRequest,
    receiver: OriginReceiver,
    onEnd: () => void = nothing,
  ): OriginCall {
    const called = { method: request.method, closesIfRefused };
    const call = new OriginCall(called, receiver, this.#connections, onEnd);
    // undici closes the connection after a HEAD (unless told `reset: false`). That costs a new one per HEAD, but a kept
    // one is not safe: if a store sends a body to HEAD (RFC 9110 §9.3.2 forbids it), undici notices only what arrives
    // before the next request is sent, and takes later bytes, which may be any content, for the answer to that request.
    const method = request.method as Dispatcher.HttpMethod;
    const [headersTimeout, bodyTimeout] = [answerMs ?? null, answerMs ?? null];
    this.#pool.dispatch({ ...request, method, headersTimeout, bodyTimeout }, call);
    return call;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

interface Held {
  readonly pool: OriginPool;
  calls: number;
}

/** A pool that is in use until `release`. */
interface PoolLease {
  readonly pool: OriginPool;
  release(): void;
}

/**
 * The connection pools of one store, by host. With virtual addressing each bucket name is a host, and clients may
 * choose bucket names, so at most `limit` pools are kept. Only pools in use may exceed the limit.
 */
export class OriginPools {
  readonly #protocol: string;
  readonly #options: OriginPoolOptions;
  #limit: number;
  #isRetired = false;
  readonly #readBuffer = new ReadBuffer();
  /** In the order of last use, the oldest first. */
  readonly #pools = new Map<string, Held>();
  readonly #closing = new Set<Promise<void>>();

  /** @param protocol `http:` or `https:`. */
  constructor(protocol: string, options: OriginPoolOptions, limit: number) {
    this.#protocol = protocol;
    this.#options = options;
    this.#limit = limit;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** @param host with port, if any. */
  lease(host: string): PoolLease {
    const held = this.#pools.get(host) ?? this.#open(host);
    held.calls++;
    this.#pools.delete(host);
    this.#pools.set(host, held);
    let isHeld = true;
    return {
      pool: held.pool,
      release: () => {
        if (isHeld) held.calls--;
        isHeld = false;
        if (this.#isRetired) this.#closeIdle();
      },
    };
  }

  /** Few calls will follow: from now on connections are closed as soon as nothing uses their pool. */
  retire(): void {
    this.#isRetired = true;
    this.#limit = 0;
    this.#closeIdle();
  }

  async close(): Promise<void> {
    const pools = Array.from(this.#pools.values(), ({ pool }) => pool.close());
    await Promise.all([...pools, ...this.#closing]);
  }

  #open(host: string): Held {
    this.#closeIdle();
    return { pool: new OriginPool(`${this.#protocol}//${host}`, this.#options, this.#readBuffer), calls: 0 };
  }

  #closeIdle(): void {
    for (const [host, { pool, calls }] of this.#pools) {
      if (this.#pools.size < this.#limit) return;
      if (calls > 0) continue;
      this.#pools.delete(host);
      const closed = pool.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
  }
}
