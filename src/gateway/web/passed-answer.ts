import type { StoreCall, StoreReplyHead } from '../../backend/store.ts';
import { fieldValue } from '../../s3/dialect.ts';
import { sendInterim } from '../../transport/interim.ts';
import { addTrailers, expectTrailers } from '../../transport/trailers.ts';
import { PassedBody } from '../pass/passed-body.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { PreparedHeaders } from '../reply/prepared-headers.ts';
import { withShownKey } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import type { AnsweredRead, WaitingClient } from './waiting-client.ts';
import { rawFields } from './web-headers.ts';

const nothing = Buffer.alloc(0);

/** A client of this worker that waits, see `WaitingClient`. */
export class PassedAnswer implements WaitingClient {
  readonly #exchange: Exchange;
  readonly #observer: ExchangeObserver;
  readonly #body: PassedBody;
  readonly #onClose: () => void;
  #isOver = false;
  #takesTrailers = false;

  /**
   * @param left called when the client leaves
   * @throws TooManyRequestsError
   */
  constructor(exchange: Exchange, observer: ExchangeObserver, left: () => void) {
    this.#exchange = exchange;
    this.#observer = observer;
    observer.waitsForStore(exchange);
    const { response } = exchange;
    this.#body = new PassedBody(response, observer.sends, observer.rates.of(exchange), step =>
      exchange.guard(step),
    );
    this.#onClose = exchange.guard(() => {
      if (this.#isOver) return;
      exchange.hasClientLeft = true;
      this.#over();
      left();
    });
    if (response.destroyed) queueMicrotask(this.#onClose);
    else response.on('close', this.#onClose);
  }

  get isWaiting(): boolean {
    return !this.#isOver;
  }

  release(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#exchange.response.off('close', this.#onClose);
    this.#body.over();
    return true;
  }

  inform(status: number, rawHeaders: readonly string[]): void {
    if (!this.#isOver) sendInterim(this.#exchange.response, status, rawHeaders);
  }

  begin(head: StoreReplyHead, { policy, target }: AnsweredRead): void {
    if (this.#isOver) return;
    const exchange = this.#exchange;
    this.#observer.firstByte(exchange);
    const { requestId, id2 } = exchange;
    const report = withShownKey(exchange.report, policy, target.key);
    // RFC 9110 §8.6: a 204 has no length
    const fields = head.fields.filter(({ name }) => !(name === 'content-length' && head.status === 204));
    const date = fieldValue(fields, 'date') ?? exchange.date;
    exchange.status = head.status;
    // only where the length is not told may trailers follow
    this.#takesTrailers =
      fieldValue(fields, 'content-length') === undefined && expectTrailers(exchange.response);
    const headers = PreparedHeaders.for(exchange, rawFields(fields, policy), head.status);
    headers.writeTo(exchange.response, head.status, { report, requestId, id2, date }, undefined);
    // the head goes out now; `flushHeaders` would write it as UTF-8
    exchange.response.write(nothing);
  }

  follow(call: StoreCall): void {
    if (!this.#isOver) this.#body.follow(call);
  }

  write(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#exchange.bodyBytes += chunk.length;
    this.#body.write(chunk);
  }

  end(rawTrailers?: readonly string[]): void {
    if (this.#isOver) return;
    const { response } = this.#exchange;
    if (rawTrailers && this.#takesTrailers) addTrailers(response, rawTrailers);
    response.end();
    this.#over();
  }

  fail(error: unknown): void {
    if (this.release()) this.#exchange.refuse(error);
  }

  #over(): void {
    this.release();
    this.#observer.sent(this.#exchange);
  }
}
