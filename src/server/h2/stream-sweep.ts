import type { ServerHttp2Stream } from 'node:http2';
import { isHeldBack } from '../../transport/held-back.ts';
import { isBodyHeldUp } from '../../transport/request-bodies.ts';
import type { StreamRequest } from '../../transport/stream-request.ts';
import type { StreamResponse } from '../../transport/stream-response.ts';
import type { ClientLimits } from '../client-limits.ts';
import { leastBodyBytes } from '../slow-senders.ts';
import { Sweep } from '../sweep.ts';

interface SweptStream {
  /** The request, if it has a body that is read. */
  readonly request: StreamRequest | undefined;
  readonly response: StreamResponse;
  /** Bytes at the last sweep; negative before the first. */
  receivedBytes: number;
  queuedBytes: number;
  sentBytes: number;
  stillMs: number;
}

/** Ends streams whose clients send bodies too slowly, or on which nothing moves. One timer serves all of them. */
export class StreamSweep {
  readonly #streams = new Map<ServerHttp2Stream, SweptStream>();
  #limits: ClientLimits;
  readonly #refuseSlow: (stream: ServerHttp2Stream) => void;
  readonly #sweep: Sweep;

  constructor(limits: ClientLimits, refuseSlow: (stream: ServerHttp2Stream) => void) {
    this.#limits = limits;
    this.#refuseSlow = refuseSlow;
    this.#sweep = new Sweep(limits.timeouts.bodyMs, stepMs => {
      for (const [stream, known] of this.#streams) this.#look(stream, known, stepMs);
    });
  }

  add(stream: ServerHttp2Stream, request: StreamRequest | undefined, response: StreamResponse): void {
    const start = { receivedBytes: -1, queuedBytes: 0, sentBytes: 0, stillMs: 0 };
    this.#streams.set(stream, { request, response, ...start });
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Changes the limits. */
  limit(limits: ClientLimits): void {
    this.#limits = limits;
    this.#sweep.every(limits.timeouts.bodyMs);
  }

  stop(): void {
    this.#sweep.stop();
  }

  #look(stream: ServerHttp2Stream, known: SweptStream, stepMs: number): void {
    const { request, response } = known;
    const receivedBytes = request?.receivedBytes ?? 0;
    const { queuedBytes } = response.body;
    const sentBytes = stream.writableLength;
    const isFirst = known.receivedBytes < 0;
    const isHeld = isHeldBack(response);
    const isSending = request !== undefined && !request.complete && !isHeld && !isBodyHeldUp(request);
    if (!isFirst && isSending && receivedBytes - known.receivedBytes < leastBodyBytes(this.#limits)) {
      if (response.headersSent) response.destroy();
      else this.#refuseSlow(stream);
      return;
    }
    const hasMoved =
      isFirst ||
      isHeld ||
      receivedBytes !== known.receivedBytes ||
      queuedBytes !== known.queuedBytes ||
      sentBytes !== known.sentBytes;
    Object.assign(known, { receivedBytes, queuedBytes, sentBytes });
    known.stillMs = hasMoved ? 0 : known.stillMs + stepMs;
    if (known.stillMs >= this.#limits.timeouts.idleMs) response.destroy();
  }
}
