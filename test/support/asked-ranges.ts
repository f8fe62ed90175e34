import { type StoreCall, StoreError, type StoreReceiver } from '../../src/backend/store.ts';
import type { RangeSource } from '../../src/gateway/fill/ranged-read.ts';
import type { HeaderField } from '../../src/s3/dialect.ts';

/** A field of HTTP, as stores send them. */
export function httpHeader(name: string, value: string): HeaderField {
  return { name, value, store: false };
}

/** One request for a range, to a store that does what the test says. */
export class AskedRange implements StoreCall {
  readonly from: number;
  readonly to: number;
  readonly #sizeBytes: number;
  readonly #receiver: StoreReceiver;
  state: 'running' | 'paused' | 'aborted' = 'running';

  constructor(from: number, to: number, sizeBytes: number, receiver: StoreReceiver) {
    this.from = from;
    this.to = to;
    this.#sizeBytes = sizeBytes;
    this.#receiver = receiver;
  }

  pause(): void {
    this.state = 'paused';
  }

  resume(): void {
    this.state = 'running';
  }

  took(): void {
    // extents do not tell
  }

  abort(): void {
    this.state = 'aborted';
  }

  /** 206 with the range that was asked for. */
  answer(): this {
    const range = httpHeader('content-range', `bytes ${this.from}-${this.to - 1}/${this.#sizeBytes}`);
    this.#receiver.answered({ status: 206, fields: [httpHeader('etag', '"t"'), range] });
    return this;
  }

  /** 200 with all of the content. */
  answerWhole(): this {
    const length = httpHeader('content-length', String(this.#sizeBytes));
    this.#receiver.answered({ status: 200, fields: [httpHeader('etag', '"t"'), length] });
    return this;
  }

  refuse(status: number): void {
    this.#receiver.answered({ status, fields: [] });
    this.#receiver.ended();
  }

  /** The next bytes; nothing arrives after an abort. */
  bytes(lengthBytes: number): this {
    if (this.state === 'aborted') return this;
    const chunk = Buffer.alloc(lengthBytes, 7);
    this.#receiver.arrived(chunk);
    // the memory is the receiver's only during the call
    chunk.fill(0xee);
    return this;
  }

  end(): void {
    if (this.state !== 'aborted') this.#receiver.ended();
  }

  breakOff(): void {
    if (this.state !== 'aborted') this.#receiver.failed(new StoreError('BROKEN', 'cut', undefined));
  }
}

/** A source of ranges of a content of `sizeBytes`; each request is added to `asked`. */
export function askedRanges(
  asked: AskedRange[],
  sizeBytes: number,
  mayRetry: () => boolean = () => true,
): RangeSource {
  return {
    backend: 'main',
    mayRetry,
    send: (from, to, receiver) => {
      const call = new AskedRange(from, to, sizeBytes, receiver);
      asked.push(call);
      return call;
    },
  };
}
