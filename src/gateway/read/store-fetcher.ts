import { sendAndCollect } from '../../backend/collected-reply.ts';
import { StoreError, type WholeReply } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import { refusedBy } from '../fill/fill-error.ts';
import { Retries } from '../fill/retries.ts';
import type { ObjectRead } from '../request/object-read.ts';
import {
  type FirstAnswer,
  type FirstExtent,
  FirstFetch,
  type FirstFetchOutcome,
  rangeHeader,
} from './first-fetch.ts';
import { storeRequest } from './store-request.ts';

/** Only one timeout: it has already cost the reader the longest time an answer may take. */
const retryLimits = { retries: 2, timeouts: 1, atOnce: 0, firstDelayMs: 100 };

/** Sends record requests to stores, with retries for transient failures. */
export class StoreFetcher {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #retried: (read: ObjectRead, reason: string) => void;

  /** @param random a number in [0, 1), for jitter */
  constructor(clock: Clock, random: () => number, retried: (read: ObjectRead, reason: string) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#retried = retried;
  }

  /** HEAD for an object or one of its parts. */
  head(read: ObjectRead, partNumber: number | undefined): Promise<WholeReply> {
    const request = storeRequest(read, 'HEAD', { partNumber });
    return this.#withRetries(
      read,
      () => sendAndCollect(read.bucket.store, request, { limitBytes: 0 }),
      reply => reply,
    );
  }

  /** GET of `extent`, or of the whole object if undefined. `take` receives the head of a readable answer. */
  get<Learned>(
    read: ObjectRead,
    extent: FirstExtent | undefined,
    take: FirstFetchOutcome<Learned>['take'],
  ): Promise<FirstAnswer<Learned>> {
    return this.#withRetries(
      read,
      () => getOnce(read, extent, take),
      answer => (answer.kind === 'refused' ? answer.reply : undefined),
    );
  }

  async #withRetries<Answer>(
    read: ObjectRead,
    ask: () => Promise<Answer>,
    refusal: (answer: Answer) => WholeReply | undefined,
  ): Promise<Answer> {
    let retries: Retries | undefined;
    for (;;) {
      try {
        const answer = await ask();
        const reply = refusal(answer);
        if (!reply) return answer;
        retries ??= new Retries(retryLimits);
        if (!retries.mayFollow(refusedBy(reply))) return answer;
        this.#retried(read, 'status');
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        retries ??= new Retries(retryLimits);
        if (!retries.mayFollow(error)) throw error;
        this.#retried(read, error.code.toLowerCase());
      }
      await this.#pause(retries.nextDelayMs(this.#random()));
    }
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise(resolve => this.#clock.after(delayMs, resolve));
  }
}

function getOnce<Learned>(
  read: ObjectRead,
  extent: FirstExtent | undefined,
  take: FirstFetchOutcome<Learned>['take'],
): Promise<FirstAnswer<Learned>> {
  const { promise, resolve, reject } = Promise.withResolvers<FirstAnswer<Learned>>();
  const outcome = { take, answered: resolve, failed: reject };
  const fetch = new FirstFetch<Learned>(extent, read.policy.maxObjectSizeBytes, outcome);
  const partNumber = extent?.kind === 'part' ? extent.partNumber : undefined;
  const request = storeRequest(read, 'GET', { range: extent && rangeHeader(extent), partNumber });
  fetch.sent(read.bucket.store.send(request, fetch));
  return promise;
}
