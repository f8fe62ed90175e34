import { type Dispatcher, errors } from 'undici';
import { parseContentLength } from '../http/content-length.ts';
import { isGetOrHead } from '../http/get-or-head.ts';
import { withoutHopByHop } from '../http/hop-by-hop.ts';
import { withoutWhiteSpace } from '../http/white-space.ts';
import type { BodyEnd } from '../transport/body-framing.ts';
import type { AnsweringConnection, ExpectedBody } from '../transport/expected-body.ts';
import type { ReadBuffer } from '../transport/read-buffer.ts';
import { causeName, isConnectionFault } from './failure-cause.ts';
import type { RepeatedAnswers } from './repeated-answers.ts';
import { SmallChunks } from './small-chunks.ts';
import { StoreError } from './store.ts';

/** A store that takes long may say so (102, RFC 2518 §10.1) more than once. */
const INFORMATIONAL_LIMIT = 100;

/** Receives an answer as it arrives, with header names and values as the origin sent them. */
export interface OriginReceiver {
  /** An answer before the final one. */
  informed?(status: number, rawHeaders: readonly string[]): void;
  answered(status: number, rawHeaders: readonly string[]): void;
  /** The next bytes of the body. The memory is valid only during the call. */
  arrived(chunk: Buffer): void;
  /** @param rawTrailers left out where there are none */
  ended(rawTrailers?: readonly string[]): void;
  failed(error: StoreError): void;
}

/** What tells of the connections to one origin, for all calls that go over them. */
export interface OriginConnections {
  readonly readBuffer: ReadBuffer;
  readonly repeated: RepeatedAnswers;
}

/** What a call needs to know of its request. */
interface CalledRequest {
  readonly method: string;
  /** Whether the connection is closed after an answer from 300 on. */
  readonly closesIfRefused?: boolean | undefined;
}

/** One request in progress. Forwards undici's events, and nothing after `abort`. */
export class OriginCall implements Dispatcher.DispatchHandler {
  readonly #request: CalledRequest;
  readonly #receiver: OriginReceiver;
  readonly #connections: OriginConnections;
  readonly #onEnd: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ExpectedBody | undefined;
  /** Set when the end of the connection ends the body. */
  #connection: AnsweringConnection | undefined;
  /** Set when it will be closed after the answer. */
  #closing: AnsweringConnection | undefined;
  /** For chunked bodies; the bytes of others arrive as they were read. */
  #smallChunks: SmallChunks | undefined;
  #informational = 0;
  #isOver = false;
  #isPaused = false;
  #wasRefused = false;

  /** @param onEnd called once, when the call has ended in any way */
  constructor(
    request: CalledRequest,
    receiver: OriginReceiver,
    connections: OriginConnections,
    onEnd: () => void,
  ) {
    this.#request = request;
    this.#receiver = receiver;
    this.#connections = connections;
    this.#onEnd = onEnd;
  }

  /** Whether undici did not take the request. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  pause(): void {
    this.#isPaused = true;
    this.#smallChunks?.pause();
    this.#controller?.pause();
  }

  /** Resumes in a microtask: undici cannot parse for one call while it reports on another. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#isOver) this.#smallChunks?.resume();
      // the receiver may have paused and resumed the call meanwhile: then a later microtask goes on
      if (!this.#isPaused && !this.#isOver && !this.#smallChunks?.isPaused) this.#controller?.resume();
    });
  }

  abort(): void {
    if (!this.#end()) return;
    this.#smallChunks?.drop();
    this.#controller?.abort(new StoreError('BROKEN', 'aborted', undefined));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new StoreError('BROKEN', 'aborted', undefined));
    else if (this.#isPaused) controller.pause();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) {
      if (++this.#informational > INFORMATIONAL_LIMIT)
        this.#giveUp(invalid('the store sends informational answers without end'));
      else if (!this.#isOver) this.#receiver.informed?.(status, textOf(controller.rawHeaders));
      return;
    }
    const headers = textOf(controller.rawHeaders);
    const { readBuffer, repeated } = this.#connections;
    const { answering } = readBuffer;
    const { method, closesIfRefused } = this.#request;
    if (answering && repeated.isRepeated(answering, status, headers)) {
      if (isGetOrHead(method)) {
        this.#giveUp(new StoreError('BROKEN', 'the store sent an answer twice', undefined));
        return;
      }
      // what may have been done is not refused for what may only look the same
      this.#closing = answering;
    }
    const framing = framingOf(headers);
    if (hasUnknownCoding(framing)) {
      this.#giveUp(invalid(`Transfer-Encoding ${framing.coding} was not asked for`));
      return;
    }
    const end = method === 'GET' ? endOfBody(status, framing) : undefined;
    if (end) this.#body = readBuffer.expectBody(end);
    if (closesIfRefused && status >= 300) this.#closing = answering;
    if (endsWithConnection(framing)) this.#connection = answering;
    if (framing.coding !== undefined) {
      this.#smallChunks = new SmallChunks(bytes => this.#passOn(bytes));
      if (this.#isPaused) this.#smallChunks.pause();
    }
    if (!this.#isOver) this.#receiver.answered(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.parsed(chunk);
    if (this.#smallChunks === undefined) {
      this.#passOn(chunk);
      return;
    }
    const refusal = this.#smallChunks.arrived(chunk);
    if (refusal) this.#giveUp(refusal);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#smallChunks?.flush();
    this.#closing?.destroy();
    if (!this.#end()) return;
    const fault = this.#connection?.errored;
    if (fault) this.#receiver.failed(asStoreError(fault, true));
    else {
      const trailers = textOf(controller.rawTrailers);
      // hardly ever are there any, and the head has many lines
      if (trailers.length === 0) this.#receiver.ended();
      else this.#receiver.ended(withoutHopByHop(trailers, textOf(controller.rawHeaders)));
    }
  }

  /** @param controller null for a request that undici refused as malformed; it was not sent */
  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#wasRefused = controller === null;
    if (!this.#isPaused) this.#smallChunks?.flush();
    if (this.#end()) this.#receiver.failed(asStoreError(error, this.#controller !== undefined));
  }

  #passOn(bytes: Buffer): void {
    if (!this.#isOver) this.#receiver.arrived(bytes);
  }

  /** The store does not keep to the protocol. */
  #giveUp(error: StoreError): void {
    if (this.#isOver) return;
    this.abort();
    this.#receiver.failed(error);
  }

  /** False when it had already ended. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#onEnd();
    return true;
  }
}

/**
 * Header bytes are decoded as Latin-1 (RFC 9110 §5.5), so they are sent on unchanged, but for white space around values, which is not
 * part of them (RFC 9112 §5.1): undici leaves what is behind.
 */
function textOf(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map(text => withoutWhiteSpace(typeof text === 'string' ? text : text.toString('latin1')));
}

/** The fields that delimit a body, each with all its values joined. */
interface Framing {
  length: string | undefined;
  coding: string | undefined;
  isUpgrade: boolean;
}

function framingOf(headers: readonly string[]): Framing {
  const framing: Framing = { length: undefined, coding: undefined, isUpgrade: false };
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase();
    const value = headers[index + 1] ?? '';
    if (name === 'upgrade') framing.isUpgrade = true;
    if (name === 'transfer-encoding') framing.coding = joined(framing.coding, value);
    if (name === 'content-length') framing.length = joined(framing.length, value);
  }
  return framing;
}

function joined(values: string | undefined, value: string): string {
  return values === undefined ? value : `${values},${value}`;
}

/** Content in a coding that cannot be decoded must not be taken for the object (RFC 9112 §6.1, §7.3). */
function hasUnknownCoding({ coding }: Framing): boolean {
  const known = coding?.toLowerCase();
  return known !== undefined && known !== 'chunked' && known !== 'identity';
}

/** Also for answers without a body; those are complete before their connection ends. */
function endsWithConnection({ length, coding }: Framing): boolean {
  return coding === undefined ? length === undefined : coding.toLowerCase() !== 'chunked';
}

/** How the body of a GET response is delimited (RFC 9112 §6.3); undefined unless exactly one rule applies. */
function endOfBody(status: number, { length, coding, isUpgrade }: Framing): BodyEnd | undefined {
  if ((status !== 200 && status !== 206) || isUpgrade) return undefined;
  if (coding !== undefined)
    return length === undefined && coding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined;
  if (length === undefined) return { kind: 'close' };
  const lengthBytes = parseContentLength(length);
  return lengthBytes === undefined ? undefined : { kind: 'length', lengthBytes };
}

function invalid(why: string): StoreError {
  return new StoreError('INVALID', why, undefined);
}

/** @param wasSent whether there was a connection: then the origin may have got the request */
function asStoreError(error: Error, wasSent: boolean): StoreError {
  if (error instanceof StoreError) return error;
  const isTimeout = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
  if (isTimeout) return new StoreError('TIMEOUT', 'the store did not answer in time', error);
  const isUnreachable = !wasSent && (isOfConnect(error) || isConnectionFault(causeName(error)));
  if (isUnreachable) return new StoreError('UNREACHABLE', 'the store cannot be reached', error);
  return new StoreError('BROKEN', 'the connection to the store broke', error);
}

/** node:net reports one error of a host with several addresses as it is, several as one. */
function isOfConnect(error: Error): boolean {
  return error instanceof AggregateError || ('syscall' in error && error.syscall === 'connect');
}
