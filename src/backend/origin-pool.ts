import type { LookupFunction } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { ReadBuffer } from '../transport/read-buffer.ts';
import { OriginCall, type OriginReceiver } from './origin-call.ts';

/** How long to wait for an origin, in milliseconds. */
export interface OriginTimeouts {
  readonly connectMs: number;
  /** From the request to the answer's head. */
  readonly firstByteMs: number;
  /** Between bytes of the answer. */
  readonly idleMs: number;
}

/** How an origin is connected to. */
export interface OriginPoolOptions {
  /** ConnectionCounter that may be open at the same time; further requests wait. */
  readonly connections: number;
  readonly timeouts: OriginTimeouts;
  /** Finds the address of a host name. Default: the system's. */
  readonly lookup?: LookupFunction;
}

/** A request as it goes onto the wire: the path is sent as it is, nothing in it is normalised. */
export interface OriginRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: string[];
  readonly body?: Uint8Array;
}

/** Kept-alive connections to one origin. */
export class OriginPool {
  readonly #pool: Pool;
  readonly #readBuffer: ReadBuffer;

  /** @param readBuffer pools of one thread may share it. */
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
      // the read buffer is safe with the parser that it was proven against, whatever the environment prefers
      useMilo: false,
    });
  }

  send(request: OriginRequest, receiver: OriginReceiver): OriginCall {
    const call = new OriginCall(request.method, receiver, this.#readBuffer);
    this.#pool.dispatch({ ...request, method: request.method as Dispatcher.HttpMethod }, call);
    return call;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
