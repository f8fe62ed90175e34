import type { LookupFunction } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { ReadBuffer } from '../transport/read-buffer.ts';
import { OriginCall, type OriginReceiver } from './origin-call.ts';

/** Timeouts of an origin, in milliseconds. */
export interface OriginTimeouts {
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
}

/** A request as it is sent; the path is not normalised. */
export interface OriginRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: string[];
}

/** Keep-alive connections to one origin. */
export class OriginPool {
  readonly #pool: Pool;
  readonly #readBuffer: ReadBuffer;

  /** @param readBuffer may be shared by the pools of one thread */
  constructor(
    origin: string,
    { connections, timeouts, lookup }: OriginPoolOptions,
    readBuffer = new ReadBuffer(),
  ) {
    this.#readBuffer = readBuffer;
    this.#pool = new Pool(origin, {
      connections,
      connect: readBuffer.connector({ connectMs: timeouts.connectMs, lookup }),
      headersTimeout: timeouts.firstByteMs,
      bodyTimeout: timeouts.idleMs,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 64 * 1024,
      // the read buffer is tested only with the default parser, so an environment variable must not select another
      useMilo: false,
    });
  }

  send(request: OriginRequest, receiver: OriginReceiver): OriginCall {
    const call = new OriginCall(request.method, receiver, this.#readBuffer);
    // undici closes the connection after a HEAD (unless told `reset: false`). That costs a new one per HEAD, but a kept
    // one is not safe: if a store sends a body to HEAD (RFC 9110 §9.3.2 forbids it), undici notices only what arrives
    // before the next request is sent, and takes later bytes, which may be any content, for the answer to that request.
    this.#pool.dispatch({ ...request, method: request.method as Dispatcher.HttpMethod }, call);
    return call;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
