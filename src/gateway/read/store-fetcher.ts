import { sendAndCollect } from '../../backend/collected-reply.ts';
import { ERROR_BODY_LIMIT_BYTES, isRetryableStatus, type WholeReply } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import { parseErrorBody } from '../../s3/error-body.ts';
import { ownSignatureRefused } from '../../s3/store-refusal.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import { Retries, type RetryContext } from '../fill/retries.ts';
import { placesOf } from '../request/fallback-bucket.ts';
import type { ObjectRead } from '../request/object-read.ts';
import {
  type FirstAnswer,
  type FirstExtent,
  FirstFetch,
  partNumberOf,
  rangeHeader,
  type TakeAnswer,
} from './first-fetch.ts';
import { isFailureOfStore } from './store-failure.ts';
import { storeRequest } from './store-request.ts';

/** Only one timeout: it has already cost the reader the longest time an answer may take. */
const retryLimits = { retries: 2, timeouts: 1, atOnce: 0, firstDelayMs: 100 };

/** Sends record requests to stores, with retries for transient failures. */
export class StoreFetcher {
  readonly #clock: Clock;
  readonly #context: RetryContext;

  constructor(clock: Clock, context: RetryContext) {
    this.#clock = clock;
    this.#context = context;
  }

  /** HEAD for an object or one of its parts. @param signal aborts it; the promise is rejected with its reason */
  head(read: ObjectRead, partNumber: number | undefined, signal: AbortSignal): Promise<WholeReply> {
    const request = storeRequest(read, 'HEAD', { partNumber, trace: read.trace });
    return this.#withRetries(read, signal, async () => {
      const reply = await sendAndCollect(read.bucket.store, request, { limitBytes: 0 }, signal);
      if (isRetryableStatus(reply.status)) throw new RefusedByStoreError(reply);
      return reply.status === 400 ? ((await this.#signatureRefusal(read, signal)) ?? reply) : reply;
    });
  }

  /**
   * What a store that answers 400 to HEAD says to GET, if that is about the gateway's own signature: the answer to HEAD
   * has no body, and 400 is also the answer to a HEAD without the customer key of its object.
   */
  async #signatureRefusal(read: ObjectRead, signal: AbortSignal): Promise<WholeReply | undefined> {
    const request = storeRequest(read, 'GET', { range: 'bytes=0-0' });
    const limits = { limitBytes: ERROR_BODY_LIMIT_BYTES };
    // the store has refused already: that it fails when it is to say why changes nothing
    const reply = await sendAndCollect(read.bucket.store, request, limits, signal).catch(failure => {
      if (isFailureOfStore(failure)) return undefined;
      throw failure;
    });
    const error = reply && reply.status >= 400 ? parseErrorBody(reply.body) : undefined;
    return error && ownSignatureRefused(error) ? reply : undefined;
  }

  /**
   * GET of `extent`, or of the whole object if undefined. `take` receives the head of a readable answer.
   *
   * @param signal aborts it before it is answered; the promise is rejected with its reason
   */
  get(
    read: ObjectRead,
    extent: FirstExtent | undefined,
    take: TakeAnswer,
    signal: AbortSignal,
  ): Promise<FirstAnswer> {
    return this.#withRetries(read, signal, async isLast => {
      const isFailureUntold = !isLast || placesOf(read.bucket).length > 1;
      const answer = await sendFirst(read, extent, take, signal, isFailureUntold);
      if (answer.kind === 'refused' && isRetryableStatus(answer.reply.status))
        throw new RefusedByStoreError(answer.reply);
      return answer;
    });
  }

  /** Repeats `ask` while it rejects with a transient error, but where it is told that this is the last time. */
  async #withRetries<Answer>(
    read: ObjectRead,
    signal: AbortSignal,
    ask: (isLast: boolean) => Promise<Answer>,
  ): Promise<Answer> {
    const { store } = read.bucket;
    const retries = new Retries(retryLimits);
    for (;;) {
      try {
        return await ask(retries.isLast);
      } catch (error) {
        const retried = { backend: store.name, mayRetry: () => store.mayRetry() };
        const delayMs = retries.delayAfterMs(error, retried, this.#context);
        if (delayMs === undefined) throw error;
        await this.#pause(delayMs);
        signal.throwIfAborted();
      }
    }
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise(resolve => this.#clock.after(delayMs, resolve));
  }
}

function sendFirst(
  read: ObjectRead,
  extent: FirstExtent | undefined,
  take: TakeAnswer,
  signal: AbortSignal,
  isFailureUntold: boolean,
): Promise<FirstAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const giveUp = () => {
      call.abort();
      reject(signal.reason);
    };
    const settle = () => signal.removeEventListener('abort', giveUp);
    signal.addEventListener('abort', giveUp);
    const fetch = new FirstFetch(extent, read.policy.maxObjectSizeBytes, {
      take,
      answered: answer => {
        settle();
        resolve(answer);
      },
      failed: error => {
        settle();
        reject(error);
      },
    });
    const request = storeRequest(read, 'GET', {
      range: extent && rangeHeader(extent),
      partNumber: partNumberOf(extent),
      trace: read.trace,
    });
    const call = read.bucket.store.send({ ...request, isFailureUntold }, fetch);
    fetch.sent(call);
  });
}
