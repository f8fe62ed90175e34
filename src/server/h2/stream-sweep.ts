import type { ServerHttp2Stream } from 'node:http2';
import { isBodyHeldUp } from '../../transport/request-bodies.ts';
import type { StreamRequest } from '../../transport/stream-request.ts';
import type { StreamResponse } from '../../transport/stream-response.ts';
import type { SenderLimits } from '../slow-senders.ts';

/** As for connections of HTTP/1: see http-listener.ts. */
const IDLE_LIMIT_MS = 300_000;

interface SweptStream {
  /** The request, if it has a body that is read. */
  readonly request: StreamRequest | undefined;
  readonly response: StreamResponse;
  /** Bytes at the last sweep; negative before the first. */
  receivedBytes: number;
  queuedBytes: number;
  sentBytes: number;
  stillSweeps: number;
}

/** Ends streams whose clients send bodies too slowly, or on which nothing moves. One timer serves all of them. */
export class StreamSweep {
  readonly #streams = new Map<ServerHttp2Stream, SweptStream>();
  readonly #limits: SenderLimits;
  readonly #refuseSlow: (stream: ServerHttp2Stream) => void;
  readonly #timer: NodeJS.Timeout;

  /** @param swept called after each sweep */
  constructor(limits: SenderLimits, refuseSlow: (stream: ServerHttp2Stream) => void, swept: () => void) {
    this.#limits = limits;
    this.#refuseSlow = refuseSlow;
    this.#timer = setInterval(() => {
      for (const [stream, known] of this.#streams) this.#look(stream, known);
      swept();
    }, limits.limitMs);
    this.#timer.unref();
  }

  add(stream: ServerHttp2Stream, request: StreamRequest | undefined, response: StreamResponse): void {
    const start = { receivedBytes: -1, queuedBytes: 0, sentBytes: 0, stillSweeps: 0 };
    this.#streams.set(stream, { request, response, ...start });
    stream.once('close', () => this.#streams.delete(stream));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(stream: ServerHttp2Stream, known: SweptStream): void {
    const { request, response } = known;
    const receivedBytes = request?.receivedBytes ?? 0;
    const { queuedBytes } = response.body;
    const sentBytes = stream.writableLength;
    const isFirst = known.receivedBytes < 0;
    const isSending = request !== undefined && !request.complete && !isBodyHeldUp(request);
    const expectedBytes = (this.#limits.bodyBytesPerSecond * this.#limits.limitMs) / 1_000;
    if (!isFirst && isSending && receivedBytes - known.receivedBytes < expectedBytes) {
      if (response.headersSent) response.destroy();
      else this.#refuseSlow(stream);
      return;
    }
    const hasMoved =
      isFirst ||
      receivedBytes !== known.receivedBytes ||
      queuedBytes !== known.queuedBytes ||
      sentBytes !== known.sentBytes;
    Object.assign(known, { receivedBytes, queuedBytes, sentBytes });
    known.stillSweeps = hasMoved ? 0 : known.stillSweeps + 1;
    if (known.stillSweeps * this.#limits.limitMs >= IDLE_LIMIT_MS) response.destroy();
  }
}
