import type { LookupFunction } from 'node:net';
import { type Dispatcher, errors, Pool } from 'undici';
import { readBufferConnector } from './read-buffer.ts';
import { StoreError } from './store.ts';

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
  /** Connections that may be open at the same time; further requests wait. */
  readonly connections: number;
  readonly timeouts: OriginTimeouts;
  /** Finds the address of a host name. Default: the system's. */
  readonly lookup?: LookupFunction;
}

/** Takes an answer as it arrives, header names and values as the origin sent them. */
export interface RawReceiver {
  answered(status: number, rawHeaders: string[]): void;
  arrived(chunk: Buffer): void;
  ended(): void;
  failed(error: StoreError): void;
  /** Whoever asked has given it up before its end; nothing comes after. */
  aborted(): void;
}

/** A request as it goes onto the wire: the path is sent as it is, nothing in it is normalised. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: string[];
  readonly body?: Uint8Array;
}

/** Kept-alive connections to one origin. */
export class OriginPool {
  readonly #pool: Pool;

  constructor(origin: string, { connections, timeouts, lookup }: OriginPoolOptions) {
    this.#pool = new Pool(origin, {
      connections,
      connect: readBufferConnector({ connectMs: timeouts.connectMs, lookup }),
      headersTimeout: timeouts.firstByteMs,
      bodyTimeout: timeouts.idleMs,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 64 * 1024,
    });
  }

  send(request: RawRequest, receiver: RawReceiver): OriginCall {
    const call = new OriginCall(receiver);
    this.#pool.dispatch({ ...request, method: request.method as Dispatcher.HttpMethod }, call);
    return call;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** One request under way; hands on what undici reports, and nothing after `abort`. */
export class OriginCall implements Dispatcher.DispatchHandler {
  readonly #receiver: RawReceiver;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #isPaused = false;

  constructor(receiver: RawReceiver) {
    this.#receiver = receiver;
  }

  pause(): void {
    this.#isPaused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.aborted();
    this.#controller?.abort(new StoreError('BROKEN', 'given up', undefined));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new StoreError('BROKEN', 'given up', undefined));
    else if (this.#isPaused) controller.pause();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200 && !this.#isOver) this.#receiver.answered(status, textOf(controller.rawHeaders));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#receiver.arrived(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.failed(asStoreError(error));
  }
}

/** Header bytes are Latin-1 (RFC 9110 §5.5): so they come out again exactly as they came in. */
function textOf(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map(text => (typeof text === 'string' ? text : text.toString('latin1')));
}

function asStoreError(error: Error): StoreError {
  if (error instanceof StoreError) return error;
  const isTimeout = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
  if (isTimeout) return new StoreError('TIMEOUT', 'the store did not answer in time', error);
  const isUnreachable = error instanceof errors.ConnectTimeoutError || isConnectionFailure(error);
  if (isUnreachable) return new StoreError('UNREACHABLE', 'the store cannot be reached', error);
  return new StoreError('BROKEN', 'the connection to the store broke', error);
}

function isConnectionFailure(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}
