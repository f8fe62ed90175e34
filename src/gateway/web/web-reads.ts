import { Generation } from '../../cache/generation.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { type StaleUse, staleUse } from '../../cache/reuse.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { NotCachedError } from '../fill/fill-error.ts';
import { BackgroundTurns, type Outcome } from '../read/background-turns.ts';
import type { Warmed } from '../read/warmed.ts';
import { bypassed, CacheReports, cacheHit, type LookupOutcome, notAsked } from '../request/cache-status.ts';
import { isPart } from './asked-range.ts';
import { meetsDemands } from './demands.ts';
import type { FillingCache } from './filling-cache.ts';
import { mayBeRenewedFor } from './one-request.ts';
import { endsHeld, restFails } from './origin-failures.ts';
import { OwnAnswers } from './own-answers.ts';
import type { BodyMaker } from './passed-request-body.ts';
import { QuestionSender } from './question-sender.ts';
import { answersNow, holdsAll, staleOutcome, wantsUnfinished } from './stale-answers.ts';
import { toldTo, type WebHead } from './stored-answer.ts';
import { WebArrivals } from './web-arrivals.ts';
import { isFailure, type WebFetch } from './web-fetch.ts';
import { outcomeOf } from './web-flight.ts';
import { WebQuestions } from './web-questions.ts';
import type { RecordSource, WebRead, WebSource } from './web-read.ts';
import { type AnswerName, WebRecords } from './web-records.ts';
import type { WebPage } from './web-target.ts';
import { WebWarming } from './web-warming.ts';

/** What a worker holds of web origins, and asks them: from the cache as RFC 9111 allows, otherwise as the client has asked. */
export class WebReads implements WebSource, RecordSource {
  readonly #reports = new CacheReports();
  readonly #cache: FillingCache;
  readonly #records: WebRecords;
  readonly #sender: QuestionSender;
  readonly #questions: WebQuestions;
  readonly #warming: WebWarming;
  /** Of questions that nobody waits for. */
  readonly #background: BackgroundTurns;
  /** What is asked about in the background. */
  readonly #renewing = new WeakSet<ReadableRecord>();
  /** What was asked about so in some client's name, and in vain: the next question is in nobody's. */
  readonly #unrenewed = new WeakSet<ReadableRecord>();

  constructor(cache: FillingCache) {
    this.#cache = cache;
    const background = new BackgroundTurns(cache.clock);
    const records = new WebRecords(cache);
    const own = new OwnAnswers(cache.clock);
    const arrivals = new WebArrivals(cache, records, own, this);
    this.#background = background;
    this.#records = records;
    this.#sender = new QuestionSender({ cache, records, arrivals });
    this.#questions = new WebQuestions({
      ...{ cache, records, own, background, sender: this.#sender },
      give: (read, record, outcome) => this.#give(read, record, outcome),
    });
    this.#warming = new WebWarming(records, this.#questions, () => cache.nowMs());
  }

  /** Requests that waited for another's answer. */
  get coalesced(): number {
    return this.#questions.coalesced;
  }

  /** A fresh stored answer is given in this turn of the event loop. */
  serve(read: WebRead): void {
    const { policy, directives, nowMs } = read;
    const record = policy.mode === 'bypass' ? undefined : this.#records.find(read);
    if (record && answersNow(record, read)) {
      if (wantsUnfinished(record, read, this.#records.unfinished, nowMs)) this.#askOrigin(read);
      else read.client.answer(read, record, cacheHit, this);
      return;
    }
    const use =
      record && !record.isWithdrawn && !isPart(record) && holdsAll(record) && meetsDemands(record, read)
        ? staleUse(record, policy, directives, nowMs)
        : undefined;
    if (record && use) this.#giveHeld(read, record, use);
    else if (directives?.onlyIfCached) {
      read.client.report = notAsked;
      throw new NotCachedError();
    } else this.#questions.ask(read, record);
  }

  warm(page: WebPage, gone: AbortSignal): Promise<Warmed> {
    return this.#warming.warm(page, gone);
  }

  /**
   * Another worker is told of `record`, which has to be there still when that reads it.
   *
   * @returns `NameChanges.count` where that may give it to all whom it answers
   */
  tell(read: WebRead, record: ReadableRecord): number | undefined {
    if (record.content instanceof Generation) this.#cache.keepWhileRead(record.content);
    return this.#records.isGivenFirst(read, record) ? this.#records.changesOf(read) : undefined;
  }

  /** The content of this number turned out to be of no use. */
  forgetContent(name: AnswerName, contentId: number): void {
    this.#records.forgetContent(name, contentId, this.#cache.nowMs());
  }

  /** Passes on a request that is neither GET nor HEAD. @throws TooManyRequestsError, S3Error EntityTooLarge */
  pass(read: WebRead, makeBody: BodyMaker): void {
    read.client.report = bypassed(read.method, read.policy.mode === 'bypass' ? 'rule' : undefined);
    this.#sender.pass(read, makeBody);
  }

  failed(read: WebRead, record: ReadableRecord, error: unknown): void {
    if (endsHeld(error)) this.#records.forgetUnfinished(read, record, this.#cache.nowMs());
    else if (restFails(error)) this.restFailed(read);
  }

  /** The rest of what is held of a name could not be had. */
  restFailed({ target }: AnswerName): void {
    this.#records.unfinished.failed(target.key, this.#cache.nowMs());
  }

  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void {
    this.failed(read, record, error);
    if (read.mayRepeat()) read.attempt(() => this.#askOrigin(read));
    else if (isFailure(error)) read.client.refuse(error);
    else this.askUnkept(read);
  }

  /** Asks the origin whatever is held, which has failed to answer `read` at another worker. */
  askAnew(read: WebRead): void {
    this.restFailed(read);
    this.#askOrigin(read);
  }

  /** For who was to be answered several times with what had changed before the first byte. */
  askUnkept(read: WebRead): void {
    read.attempt(() => this.#sender.askUnkept(read));
  }

  answerFrom(fetch: WebFetch, record: ReadableRecord, outcome: LookupOutcome, head?: WebHead): void {
    const { read, client } = fetch.question;
    if (!client?.release()) return;
    this.#give(read, record, outcome, head && toldTo(read, record, head));
  }

  report({ question }: WebFetch, outcome: LookupOutcome): void {
    const { client, read, method } = question;
    if (!client) return;
    const isBypassed = read.policy.mode === 'bypass';
    read.client.report = isBypassed ? bypassed(method, 'rule') : this.#reports.of(outcome, 'all', 0);
  }

  /** What is stale, but served without waiting for the origin (RFC 5861 §3; RFC 9111 §5.2.1.2). */
  #giveHeld(read: WebRead, record: ReadableRecord, use: StaleUse): void {
    if (use === 'stale-while-revalidate' && !this.#renewing.has(record) && mayBeRenewedFor(read, record))
      this.#renew(read.asGet(), record);
    read.client.answer(read, record, staleOutcome(use), this);
  }

  /** Asks the origin for whoever reads next, now or when it is the client's turn. */
  #renew(read: WebRead, record: ReadableRecord): void {
    const begin = (ended: (outcome: Outcome) => void) => {
      // what this client has sent may be why nothing came of it
      const by = this.#unrenewed.has(record) ? read.asNobody(record.answer?.vary ?? []) : read;
      this.#renewing.add(record);
      return this.#questions.renew(by, record, landing => {
        this.#renewing.delete(record);
        if (landing.kind !== 'stored' && by === read) this.#unrenewed.add(record);
        else this.#unrenewed.delete(record);
        ended(outcomeOf(landing));
      });
    };
    // somebody may have asked by then, or have changed what is asked about
    const isStillDue = () => !this.#renewing.has(record) && this.#records.find(read) === record;
    const { client, bucket, target } = read;
    this.#background.ask(bucket.store.name, {
      ...{ client: client.quota, name: target.key.text, begin, isStillDue },
    });
  }

  #askOrigin(read: WebRead): void {
    this.#questions.ask(read, undefined);
  }

  #give(read: WebRead, record: ReadableRecord, outcome: LookupOutcome, told?: readonly HeaderField[]): void {
    read.attempt(() => read.client.answer(read, record, outcome, this, told));
  }
}
