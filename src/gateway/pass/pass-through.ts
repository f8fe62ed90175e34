import { CollectedReply } from '../../backend/collected-reply.ts';
import type { StoreCall, StoreReplyHead, StoreRequest } from '../../backend/store.ts';
import { type HeaderField, rawFromFields } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { isLength, isOfTheReply, lengthLast, overridden } from '../reply/passed-fields.ts';
import { PreparedHeaders } from '../reply/prepared-headers.ts';
import { idsOf, replyRefusal } from '../reply/refusal-reply.ts';
import type { Bucket } from '../request/bucket.ts';
import { bypassed } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import { PassedBody } from './passed-body.ts';

/** How an answer is given on. */
export interface PassOptions {
  /** Whether a missing key may be called missing (docs/semantics.md, Authentication 4). */
  readonly mayKnowMissing: boolean;
  /** Why it is not looked for in the cache (RFC 9211 §2.8). */
  readonly detail: string;
  /** Which of the store's fields the client sees. */
  readonly keep: (field: HeaderField) => boolean;
  /** Headers that replace those of a 200. */
  readonly overrides: Pairs;
}

/** Asks the store and gives its answer on as it comes, as fast as the client takes it: nothing of it is kept. @throws TooManyRequestsError */
export function passThrough(
  exchange: Exchange,
  bucket: Bucket,
  request: StoreRequest,
  observer: ExchangeObserver,
  options: PassOptions,
): void {
  const { response } = exchange;
  exchange.report = bypassed(options.detail);
  if (response.destroyed) {
    // the client left while the object was looked up: a closed response emits no second `close`
    exchange.hasClientLeft = true;
    observer.sent(exchange);
    return;
  }
  observer.waitsForStore(exchange);
  const body = new PassedBody(response, observer.sends, step => exchange.guard(step));
  const end = () => {
    response.off('close', left);
    body.over();
    observer.sent(exchange);
  };
  const left = exchange.guard(() => {
    call.abort();
    exchange.hasClientLeft = true;
    end();
  });
  response.on('close', left);
  let refusal: CollectedReply | undefined;
  let head: StoreReplyHead | undefined;
  // with the first byte or the end: what fails before is refused with a status of its own
  const begin = () => {
    if (head) writeHead(exchange, head, options);
    head = undefined;
  };
  const call: StoreCall = bucket.store.send(request, {
    answered: answered => {
      exchange.firstByteMs = observer.nowMs();
      if (answered.status >= 300 && answered.status !== 304) refusal = new CollectedReply(answered);
      else head = answered;
    },
    arrived: chunk => {
      refusal?.arrived(chunk);
      if (refusal) return;
      begin();
      exchange.bodyBytes += chunk.length;
      body.write(chunk, call);
    },
    ended: () => {
      begin();
      if (refusal) replyRefusal(exchange, bucket, refusal.whole(), options.mayKnowMissing);
      else response.end();
      end();
    },
    failed: error => {
      response.off('close', left);
      body.over();
      exchange.refuse(error);
    },
  });
}

function writeHead(exchange: Exchange, head: StoreReplyHead, { keep, overrides }: PassOptions): void {
  const passed = head.fields.filter(field => !isOfTheReply(field) && keep(field));
  // RFC 9110 §8.6: a 204 has no length
  const fields = head.status === 204 ? passed.filter(field => !isLength(field)) : lengthLast(passed);
  const shown =
    head.status === 200
      ? overridden(rawFromFields(fields, exchange.prefix), overrides)
      : rawFromFields(fields, exchange.prefix);
  const headers = PreparedHeaders.of(shown, exchange.prefix);
  exchange.status = head.status;
  headers.writeTo(
    exchange.response,
    head.status,
    { report: exchange.report, date: exchange.date, ...idsOf(exchange, head) },
    undefined,
  );
}
