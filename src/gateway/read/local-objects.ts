import { isRetryableStatus, type WholeReply } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import {
  type ContentHead,
  faultOfLength,
  identityOf,
  isLessThanWhole,
  isPartAsWhole,
  mayBePart,
  readContentHead,
  tellsWhole,
} from '../fill/content-head.ts';
import { InvalidReplyError, RefusedByStoreError } from '../fill/fill-error.ts';
import type { RunningTransfer } from '../fill/transfer.ts';
import type { Forwarded } from '../request/cache-status.ts';
import type { ObjectRead } from '../request/object-read.ts';
import { haveSameContent } from './compared-records.ts';
import type { ContentFactory } from './content-factory.ts';
import {
  type ArrivingBytes,
  type FirstExtent,
  firstBlock,
  firstExtent,
  mayBeEmpty,
  partNumberOf,
  type TakeAnswer,
  type TakenAnswer,
} from './first-fetch.ts';
import { answerAtOnce, heldAnswer, holdsWhatIsRead, staleAnswer } from './held-answers.ts';
import type { Asker, Learned, LookupResult, ObjectSource } from './object-source.ts';
import type { Question } from './question.ts';
import { ReadFlights } from './read-flights.ts';
import { answersRead, lookupRecord, type RecordCache } from './record-cache.ts';
import { isRefusalOfObject } from './reply-record.ts';
import type { Audience } from './single-flight.ts';
import { StoreAnswers } from './store-answers.ts';
import { isFailureOfStore, withdrawsObject } from './store-failure.ts';
import type { StoreFetcher } from './store-fetcher.ts';

/**
 * Looks up records: from the cache while they are fresh, otherwise from the store, with one request for all concurrent
 * readers. One instance per worker, for the objects that the worker owns.
 */
export class LocalObjects implements ObjectSource {
  readonly records: RecordCache;
  readonly #contents: ContentFactory;
  readonly #answers: StoreAnswers;
  readonly #fetcher: StoreFetcher;
  readonly #clock: Clock;
  readonly #flights: ReadFlights;

  constructor(records: RecordCache, contents: ContentFactory, fetcher: StoreFetcher, clock: Clock) {
    this.records = records;
    this.#flights = new ReadFlights(records, clock);
    this.#contents = contents;
    this.#answers = new StoreAnswers(records, contents, clock);
    this.#fetcher = fetcher;
    this.#clock = clock;
  }

  /** Requests that shared another request's answer. */
  get coalesced(): number {
    return this.#flights.coalesced;
  }

  /**
   * The record for `read`, see `ObjectSource`.
   *
   * @param withChecksums whether it must have all checksums the store has (docs/semantics.md, Decided 12)
   */
  async find(read: ObjectRead, withChecksums = false, asker?: Asker): Promise<LookupResult> {
    if (read.directives?.onlyIfCached) return heldAnswer(this.records, read, this.#clock.nowMs());
    if (withChecksums) {
      const askAnew = (asked: ObjectRead, audience: Audience) => this.#askAnew(asked, undefined, audience);
      const found = await this.#flights.shared(read, 'checksums', askAnew, asker);
      if (answersRead(found.record, read)) return found;
    }
    const nowMs = this.#clock.nowMs();
    const atOnce = answerAtOnce(this.records, read, nowMs);
    if (atOnce?.staleUse === 'stale-while-revalidate') {
      const { record } = atOnce;
      const ask = (asked: ObjectRead, audience: Audience) => this.#revalidate(asked, record, audience);
      // it may be confirmed, changed or purged before it is asked about
      const isStillDue = () => lookupRecord(this.records, read)?.receivedMs === record.receivedMs;
      this.#flights.begin(read, 'revalidate', ask, isStillDue, asker);
    }
    if (atOnce) return atOnce;
    const held = lookupRecord(this.records, read);
    const outdated = this.records.outdated(read);
    const wasHeld = outdated?.kind === 'readable' && holdsWhatIsRead(outdated, read);
    const forwarded = this.records.whyForwarded(read, nowMs);
    if (held?.kind === 'readable' && forwarded !== 'partial') {
      const found = await this.#revalidated(read, held, forwarded, asker);
      if (answersRead(found.record, read)) return found;
    }
    const ask = (asked: ObjectRead, audience: Audience) =>
      asked.method === 'HEAD'
        ? this.#askHead(asked, asked.partNumber, audience)
        : this.#askGet(asked, this.#firstExtent(asked, forwarded === 'vary-miss'), audience);
    const found = await this.#flights.shared(read, `part ${read.partNumber ?? ''}`, ask, asker);
    const isConfirmed = wasHeld && haveSameContent(found.record, outdated);
    return { ...found, how: isConfirmed ? 'revalidated' : found.how, forwarded };
  }

  invalidate(read: ObjectRead, record: ObjectRecord): void {
    this.records.remove(read, record);
  }

  /**
   * The store refused bytes of `record`. That ends what is known, if it is a refusal of the object and `record` is still the current
   * one: a late refusal says nothing about an object that was written, or a record that was purged, in between. It is not remembered:
   * other readers may wait for bytes that were asked for long before the store's last word, and without their `Origin`
   * (docs/semantics.md 198). The next reader asks.
   */
  refusedByStore(read: ObjectRead, record: ObjectRecord, reply: WholeReply): void {
    // asked first: `withdraw` makes other records of what is held
    const isCurrent = this.records.isCurrent(read, record);
    if (withdrawsObject(reply.status)) this.records.withdraw(read, record);
    const current = isCurrent && isRefusalOfObject(reply) ? lookupRecord(this.records, read) : undefined;
    if (current) this.invalidate(read, current);
  }

  /**
   * The store has refused `read`: what is held is not served any more where it fails, until it has confirmed it.
   *
   * @param mayBeGone whether the next reader asks
   */
  withdraw(read: ObjectRead, mayBeGone: boolean): void {
    this.records.withdraw(read, undefined, mayBeGone ? this.#clock.nowMs() : undefined);
  }

  /** @param isHeld whether another variant is: its bytes are likely to be those of this one, so one block is asked for */
  #firstExtent(read: ObjectRead, isHeld = false): FirstExtent {
    const limitBytes = isHeld
      ? read.policy.blockSizeBytes
      : this.#contents.firstExtentBytes(this.#flights.running);
    return firstExtent(read, limitBytes);
  }

  /** What the store says of a stale record, or the record itself where the store fails and that may be served. */
  async #revalidated(
    read: ObjectRead,
    held: ReadableRecord,
    forwarded: Forwarded,
    asker: Asker | undefined,
  ): Promise<LookupResult> {
    try {
      const ask = (asked: ObjectRead, audience: Audience) => this.#revalidate(asked, held, audience);
      const found = await this.#flights.shared(read, 'revalidate', ask, asker);
      return { ...found, forwarded };
    } catch (error) {
      const known = lookupRecord(this.records, read);
      const instead = staleAnswer(known, read, error, this.#clock.nowMs());
      if (instead) return instead;
      throw error;
    }
  }

  /** Asks about the whole object even for a reader of a part: the others who wait may want another one, or none. */
  async #revalidate(read: ObjectRead, stale: ObjectRecord, audience: Audience): Promise<Learned> {
    const whole = { ...read, partNumber: undefined };
    const extent = read.partNumber === undefined ? this.#firstExtent(read) : firstBlock(read);
    const learned = await this.#askAnew(whole, extent, audience);
    const isSame = haveSameContent(learned.record, stale);
    return { ...learned, how: isSame ? 'revalidated' : 'fetched', forwarded: 'stale' };
  }

  /**
   * Asks for the current state of the object without its bytes: by HEAD, or by GET for a reader whom HEAD would answer
   * differently. CORS rules name methods (docs/semantics.md 198), and only GET has an error body.
   *
   * @param extent what such a GET requests; undefined for the whole object
   */
  async #askAnew(read: ObjectRead, extent: FirstExtent | undefined, audience: Audience): Promise<Learned> {
    if (read.method === 'GET' && read.variant.origin !== undefined)
      return this.#askGet(read, extent, audience);
    try {
      const learned = await this.#askHead(read, undefined, audience);
      const isUnsaid = learned.record.kind === 'uncacheable' && read.method === 'GET';
      return isUnsaid ? this.#askGet(read, extent, audience) : learned;
    } catch (error) {
      // a busy store is not asked a second time just for its error body
      const isSilent = error instanceof RefusedByStoreError && !isRetryableStatus(error.reply.status);
      if (!isSilent || read.method !== 'GET') throw error;
      // the store has refused: that it fails when it is to say why must not bring back what is held
      return this.#askGet(read, extent, audience).catch(later => {
        throw isFailureOfStore(later) ? error : later;
      });
    }
  }

  #askHead(read: ObjectRead, partNumber: number | undefined, { signal }: Audience): Promise<Learned> {
    return this.#asking(read, 'HEAD', partNumber, async question => {
      const reply = await this.#fetcher.head(read, partNumber, signal);
      if (reply.status !== 200 && reply.status !== 206) return this.#answers.refusal(question, reply);
      const head = readContentHead(reply);
      if (partNumber !== undefined && head.range && !mayBePart(head.range, partNumber))
        throw new InvalidReplyError(`content-range ${head.rangeText} for part ${partNumber}`);
      const fault = faultOfLength(head);
      if (fault !== undefined) throw new InvalidReplyError(fault);
      if (partNumber === undefined && (isLessThanWhole(head) || isPartAsWhole(head)))
        throw new InvalidReplyError('a part of an object of which all was asked for');
      const identity = tellsWhole(head, partNumber) ? identityOf(read, head) : undefined;
      if (!identity) return this.#answers.unkeepable(question, head);
      return this.#answers.readable(question, head, this.#answers.contentOf(question, head, identity));
    });
  }

  #askGet(read: ObjectRead, extent: FirstExtent | undefined, audience: Audience): Promise<Learned> {
    return this.#asking(read, 'GET', partNumberOf(extent), async question => {
      const take: TakeAnswer = (head, arriving, call) =>
        this.#takeBytes(question, head, arriving, { call, isAwaited: !audience.isGone });
      const answer = await this.#fetcher.get(read, extent, take, audience.signal);
      if (answer.kind === 'refused' && answer.reply.status === 416 && extent && extent.kind !== 'part') {
        return mayBeEmpty(extent, answer.reply)
          ? this.#askGet(read, undefined, audience)
          : this.#askAnew(read, firstBlock(read), audience);
      }
      if (answer.kind === 'refused') return this.#answers.refusal(question, answer.reply);
      return answer.kind === 'unkeepable' ? this.#answers.unkeepable(question, answer.head) : answer.learned;
    });
  }

  async #asking(
    read: ObjectRead,
    method: 'GET' | 'HEAD',
    partNumber: number | undefined,
    ask: (question: Question) => Promise<Learned>,
  ): Promise<Learned> {
    const number = this.records.begin(read);
    const requestedMs = this.#clock.nowMs();
    try {
      return await ask({ read, method, partNumber, requestedMs, number, ...this.records.askedNow(read) });
    } finally {
      this.records.answered(read);
    }
  }

  #takeBytes(
    question: Question,
    head: ContentHead,
    { entityTag, sizeBytes, from, to }: ArrivingBytes,
    transfer: RunningTransfer,
  ): TakenAnswer {
    const { read } = question;
    const { versionId, contentEncoding } = head;
    const identity = { objectKey: read.objectKey.text, versionId, entityTag, sizeBytes, contentEncoding };
    const content = this.#answers.contentOf(question, head, identity);
    const learned = this.#answers.readable(question, head, content);
    const receiver = to > from ? this.#contents.receive(read, content, from, to, transfer) : undefined;
    return { learned, receiver };
  }
}
