import { type Dispatcher, errors } from 'undici';
import { errorCode } from '../base/error-code.ts';
import { parseContentLength } from '../http/content-length.ts';
import type { BodyEnd } from '../transport/body-framing.ts';
import type { ExpectedBody, ReadBuffer } from '../transport/read-buffer.ts';
import { StoreError } from './store.ts';

/** Receives an answer as it arrives, with header names and values as the origin sent them. */
export interface OriginReceiver {
  answered(status: number, rawHeaders: string[]): void;
  /** The next bytes of the body. The memory is valid only during the call. */
  arrived(chunk: Buffer): void;
  ended(): void;
  failed(error: StoreError): void;
  /** The caller has aborted the request; nothing follows. */
  aborted(): void;
}

/** One request in progress. Forwards undici's events, and nothing after `abort`. */
export class OriginCall implements Dispatcher.DispatchHandler {
  readonly #method: string;
  readonly #receiver: OriginReceiver;
  readonly #readBuffer: ReadBuffer;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ExpectedBody | undefined;
  #isOver = false;
  #isPaused = false;

  constructor(method: string, receiver: OriginReceiver, readBuffer: ReadBuffer) {
    this.#method = method;
    this.#receiver = receiver;
    this.#readBuffer = readBuffer;
  }

  pause(): void {
    this.#isPaused = true;
    this.#controller?.pause();
  }

  /** Resumes in a microtask: undici cannot parse for one call while it reports on another. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#isOver) this.#controller?.resume();
    });
  }

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.aborted();
    this.#controller?.abort(new StoreError('BROKEN', 'aborted', undefined));
  }

  /** Aborts the call; the receiver fails with `error`. */
  giveUp(error: StoreError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.abort(error);
    this.#receiver.failed(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new StoreError('BROKEN', 'aborted', undefined));
    else if (this.#isPaused) controller.pause();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    const headers = textOf(controller.rawHeaders);
    const end = this.#method === 'GET' ? endOfBody(status, headers) : undefined;
    if (end) this.#body = this.#readBuffer.expectBody(end);
    if (!this.#isOver) this.#receiver.answered(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.parsed(chunk);
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

/** Header bytes are decoded as Latin-1 (RFC 9110 §5.5), so they are sent on unchanged. */
function textOf(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map(text => (typeof text === 'string' ? text : text.toString('latin1')));
}

/** How the body of a GET response is delimited (RFC 9112 §6.3); undefined unless exactly one rule applies. */
function endOfBody(status: number, headers: readonly string[]): BodyEnd | undefined {
  if (status !== 200 && status !== 206) return undefined;
  let length: string | undefined;
  let coding: string | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase();
    const value = headers[index + 1] ?? '';
    if (name === 'upgrade') return undefined;
    if (name === 'transfer-encoding') coding = coding === undefined ? value : `${coding},${value}`;
    if (name === 'content-length') length = length === undefined ? value : `${length},${value}`;
  }
  if (coding !== undefined)
    return length === undefined && coding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined;
  if (length === undefined) return { kind: 'close' };
  const lengthBytes = parseContentLength(length);
  return lengthBytes === undefined ? undefined : { kind: 'length', lengthBytes };
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
  const code = errorCode(error);
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}
