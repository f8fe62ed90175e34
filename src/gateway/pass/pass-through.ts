import { CollectedReply } from '../../backend/collected-reply.ts';
import type { StoreCall, StoreReceiver, StoreReplyHead, StoreRequest } from '../../backend/store.ts';
import { clientOf } from '../../base/client-quota.ts';
import { type HeaderField, rawFromFields } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';
import { isLength, isPerResponseField, overridden } from '../../s3/passed-fields.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import { type ContentHead, faultOfLength, readContentHead } from '../fill/content-head.ts';
import { InvalidReplyError } from '../fill/fill-error.ts';
import { ExpectedBytes } from '../fill/ranged-read.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { PreparedHeaders } from '../reply/prepared-headers.ts';
import { replyRefusal, tellIds } from '../reply/refusal-reply.ts';
import type { Bucket } from '../request/bucket.ts';
import { bypassed } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import { PassedBody } from './passed-body.ts';

/** How an answer is passed on. */
export interface PassOptions {
  /** Whether a missing key may be reported as missing (docs/semantics.md, Authentication 4). */
  readonly mayKnowMissing: boolean;
  /** Why the cache is bypassed (RFC 9211 §2.8). */
  readonly detail: string;
  /** Which of the store's fields the client sees. */
  readonly keep: (field: HeaderField) => boolean;
  /** Headers that replace those of a 200 response. */
  readonly overrides: Pairs;
  /** What is wrong with a head as an answer to the request; left out where any will do. */
  readonly faultOf?: (head: ContentHead) => string | undefined;
  /** Another bucket that a refusal may name. */
  readonly source?: Bucket | undefined;
  /** Sends the request; left out where the store gets it just so. */
  readonly send?: (request: StoreRequest, receiver: PassedReceiver) => StoreCall;
}

/** Receives the answer to a passed request, or any error that ends the request. */
export interface PassedReceiver extends StoreReceiver {
  failed(error: unknown): void;
}

/**
 * Forwards the request to the store and streams the answer, with back-pressure from the client; nothing is cached.
 * @throws TooManyRequestsError
 */
export function passThrough(
  exchange: Exchange,
  bucket: Bucket,
  request: StoreRequest,
  observer: ExchangeObserver,
  options: PassOptions,
): void {
  exchange.report = bypassed(exchange.method, options.detail);
  if (exchange.response.destroyed) {
    // the client disconnected during the look-up: a closed response does not emit `close` again
    exchange.hasClientLeft = true;
    observer.sent(exchange);
    return;
  }
  observer.waitsForStore(exchange);
  const passed = new PassedAnswer(exchange, bucket, observer, options);
  const client = clientOf(clientAddressOf(exchange.response.req));
  const send = options.send ?? ((sent, receiver) => bucket.store.send(sent, receiver));
  passed.follow(send({ ...request, client, trace: exchange.trace, isResent: true }, passed));
}

/** Gives one answer of a store on to the client. */
class PassedAnswer implements PassedReceiver {
  readonly #exchange: Exchange;
  readonly #bucket: Bucket;
  readonly #observer: ExchangeObserver;
  readonly #options: PassOptions;
  readonly #left: () => void;
  readonly #body: PassedBody;
  #call: StoreCall | undefined;
  #head: StoreReplyHead | undefined;
  #refusal: CollectedReply | undefined;
  /** Limits the body of a 206 to the range that its head announces. */
  #range: ExpectedBytes | undefined;
  /** Whether the rest of the answer is not wanted. */
  #isCut = false;

  constructor(exchange: Exchange, bucket: Bucket, observer: ExchangeObserver, options: PassOptions) {
    this.#exchange = exchange;
    this.#bucket = bucket;
    this.#observer = observer;
    this.#options = options;
    this.#left = exchange.guard(() => this.#clientLeft());
    this.#body = new PassedBody(exchange.response, observer.sends, observer.rates.of(exchange), step =>
      exchange.guard(step),
    );
    exchange.response.on('close', this.#left);
  }

  /** The call whose answer this is: it goes no faster than the client, and ends when the client leaves. */
  follow(call: StoreCall): void {
    this.#call = call;
    if (this.#isCut) call.abort();
    else this.#body.follow(call);
  }

  answered(head: StoreReplyHead): void {
    this.#observer.firstByte(this.#exchange);
    const content = readContentHead(head);
    const fault = this.#options.faultOf?.(content);
    if (fault !== undefined) {
      this.#refuse(fault);
      return;
    }
    if (head.status >= 300 && head.status !== 304) this.#refusal = new CollectedReply(head);
    else this.#head = head;
    if (head.status === 206 && !this.#exchange.isHead) this.#limitToRange(content);
  }

  arrived(chunk: Buffer): void {
    if (this.#isCut) return;
    if (this.#refusal) this.#refusal.arrived(chunk);
    else if (this.#range) this.#range.arrived(chunk);
    else this.bytes(chunk);
  }

  ended(): void {
    if (this.#isCut) return;
    if (this.#range) this.#range.ended();
    else this.done();
  }

  bytes(chunk: Buffer): void {
    this.#begin();
    this.#exchange.bodyBytes += chunk.length;
    this.#body.write(chunk);
  }

  done(): void {
    this.#begin();
    const { mayKnowMissing, source } = this.#options;
    const refusal = this.#refusal?.whole();
    if (refusal) replyRefusal(this.#exchange, this.#bucket, refusal, mayKnowMissing, source);
    else this.#exchange.response.end();
    this.#over();
  }

  /** What follows the range is of something else, and need not end (RFC 9110 §15.3.7.1). */
  excess(): void {
    this.#cut();
    this.#body.whenTaken(() => this.done());
  }

  failed(error: unknown): void {
    if (this.#range?.isComplete) {
      // the client has all that the head announces, although the store did not end
      this.excess();
      return;
    }
    this.#release();
    this.#exchange.refuse(error);
  }

  /** Writes the head with the first byte or the end: what fails before is refused with a status of its own. */
  #begin(): void {
    if (this.#head) writeHead(this.#exchange, this.#head, this.#options);
    this.#head = undefined;
  }

  #limitToRange(head: ContentHead): void {
    if (!head.range) return;
    const fault = faultOfLength(head);
    if (fault === undefined) this.#range = new ExpectedBytes(this, 0, head.range.last - head.range.first + 1);
    else this.#refuse(fault);
  }

  #refuse(fault: string): void {
    this.#cut();
    this.failed(new InvalidReplyError(fault));
  }

  #cut(): void {
    this.#isCut = true;
    this.#call?.abort();
  }

  #clientLeft(): void {
    this.#call?.abort();
    this.#exchange.hasClientLeft = true;
    this.#over();
  }

  #release(): void {
    this.#exchange.response.off('close', this.#left);
    this.#body.over();
  }

  #over(): void {
    this.#release();
    this.#observer.sent(this.#exchange);
  }
}

function writeHead(exchange: Exchange, head: StoreReplyHead, { keep, overrides }: PassOptions): void {
  const passed = head.fields.filter(field => !isPerResponseField(field) && keep(field));
  // RFC 9110 §8.6: a 204 has no length
  const fields = head.status === 204 ? passed.filter(field => !isLength(field)) : passed;
  const shown =
    head.status === 200
      ? overridden(rawFromFields(fields, exchange.prefix), overrides)
      : rawFromFields(fields, exchange.prefix);
  const headers = PreparedHeaders.for(exchange, shown, head.status);
  exchange.status = head.status;
  headers.writeTo(
    exchange.response,
    head.status,
    { report: exchange.report, date: exchange.date, ...tellIds(exchange, head) },
    undefined,
  );
}
