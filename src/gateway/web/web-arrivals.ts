import type { StoreError } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isGetOrHead } from '../../http/get-or-head.ts';
import { isOfServer, isOfTarget } from '../../http/whose-error.ts';
import { readContentHead } from '../fill/content-head.ts';
import { hasOtherLength } from '../fill/ranged-read.ts';
import { failedAtStore, type LookupOutcome } from '../request/cache-status.ts';
import { endChanged, isChange, isOwnLocation, mayChange } from './changed-keys.ts';
import { COLLECTED_LIMIT_BYTES, type CollectedBody, Collections } from './collected-body.ts';
import { confirms, learnsSelector, strongTag } from './confirmation.ts';
import { EndedAnswers } from './ended-answers.ts';
import { fetchedOutcome } from './fetched-outcome.ts';
import type { FillingCache } from './filling-cache.ts';
import { isAllOfPart, isKeptPart } from './kept-part.ts';
import { madeOf, tellsOfServer } from './made-answer.ts';
import { aloneBecause, isOfOneRequest, toldWithoutBody } from './one-request.ts';
import { tellsFailure, wasNeverSent } from './origin-failures.ts';
import { couldBeOfGet } from './outgoing-fields.ts';
import type { OwnAnswers } from './own-answers.ts';
import { mayServeOnError, staleOutcome } from './stale-answers.ts';
import { isStorable } from './storable-answer.ts';
import {
  type AnswerTimes,
  type ArrivedHead,
  confirmedAnswer,
  isEventStream,
  isOfUse,
  knownVary,
  readWebHead,
  storedAnswer,
  tagSlotsOfAnswer,
  type WebHead,
  wholeFor,
} from './stored-answer.ts';
import { type AnswerPlan, isFailure, type WebFetch, type WebFetchOwner } from './web-fetch.ts';
import { webIdentity } from './web-identity.ts';
import type { WebRecords } from './web-records.ts';

/** Answers a client for whom an answer has arrived. */
interface ClientAnswers {
  /** @param head set where the record is what has just been told in it */
  answerFrom(fetch: WebFetch, record: ReadableRecord, outcome: LookupOutcome, head?: WebHead): void;
  /** What the client gets as it comes is reported so. */
  report(fetch: WebFetch, outcome: LookupOutcome): void;
}

const pass: AnswerPlan = { kind: 'pass' };
const unwanted: AnswerPlan = { kind: 'unwanted' };

/** Decides what becomes of the answers of web origins, and stores what may be stored. */
export class WebArrivals implements WebFetchOwner {
  readonly #cache: FillingCache;
  readonly #records: WebRecords;
  readonly #clients: ClientAnswers;
  readonly #own: OwnAnswers;
  readonly #ended: EndedAnswers;
  readonly #collections = new Collections();

  constructor(cache: FillingCache, records: WebRecords, own: OwnAnswers, clients: ClientAnswers) {
    this.#cache = cache;
    this.#records = records;
    this.#own = own;
    this.#clients = clients;
    this.#ended = new EndedAnswers(records, () => cache.nowMs());
  }

  answered(fetch: WebFetch, head: WebHead, times: AnswerTimes): AnswerPlan {
    const { read, method, stale, confirmed, flight, isUnkept } = fetch.question;
    if (!isGetOrHead(method)) return this.#changed(fetch, head, times);
    // a server that fails says nothing of what is held
    if (!isOfServer(head.status)) this.#cache.stoodIn.answered(read.target.key, isUnkept);
    if (confirmed && head.status === 304) return this.#confirmed(fetch, confirmed, head, times);
    if (stale && tellsFailure(head.status) && this.#servesStale(fetch, stale, head.status, true))
      return unwanted;
    const isForOthers = !isOfOneRequest(read, head) && isStorable(read, method, head, isUnkept);
    // what is held may be such an error itself, or have been passed over: its rest cannot be had
    const held = stale ?? this.#records.find(read);
    const isWorse = held !== undefined && !tellsOfServer(held) && isOfServer(head.status);
    const arrived = { head, times };
    this.#own.saw(read, arrived, stale !== undefined);
    const mayKeep = isForOthers && !isWorse && isOfUse(head, read.policy, times);
    if (method === 'HEAD') this.#described(fetch, head, times, isForOthers);
    else if (stale && !mayKeep) this.#ended.byAlone(fetch.question, stale, head);
    // those who wait are told the same: that there is nothing
    const isForWaiting = isForOthers && flight !== undefined && isOfTarget(head.status);
    const plan = method === 'GET' && (mayKeep || isForWaiting) ? this.#kept(fetch, arrived) : pass;
    if (method === 'GET' && plan.kind === 'pass' && mayKeep) this.tooLong(fetch, head);
    if (plan.kind === 'pass') {
      const isFor = isWorse ? undefined : toldWithoutBody(read, arrived);
      if (isFor) flight?.tell({ ...arrived, by: read, hasBody: false, isFor });
      // what is told by HEAD is kept for nobody, but what it tells of may be
      const because = mayKeep && method === 'HEAD' ? 'request' : aloneBecause(read, head, isUnkept);
      flight?.land({ kind: 'alone', because, arrived });
    }
    const isKept = plan.kind === 'collect' && mayKeep && this.#records.isStillAsked(read, times);
    if (plan.kind !== 'fill') this.#clients.report(fetch, fetchedOutcome(fetch, head, isKept));
    return plan;
  }

  collected(fetch: WebFetch, head: WebHead, body: CollectedBody, times: AnswerTimes): void {
    const { read, flight } = fetch.question;
    const mayKeep = isOfUse(head, read.policy, times);
    const arrived = { head, times };
    const alone = { kind: 'alone', because: aloneBecause(read, head, false), arrived } as const;
    const isOther = head.status === 206 && !isAllOfPart(head, body.sizeBytes);
    if (isOther || (!mayKeep && !flight?.isAwaited)) {
      body.drop();
      flight?.land(alone);
      return;
    }
    const identity = webIdentity(read, head, body.sizeBytes);
    const generation = this.#cache.create(read.contentRead(head.vary), identity);
    const isWritten = body.writeTo(generation);
    const record = storedAnswer(head, head.status, generation, times);
    const isStored = isWritten && mayKeep && this.#records.store(read, record, madeOf(head, times));
    if (!isStored) this.#cache.keepWhileRead(generation);
    if (!isWritten) this.unkept(fetch, head, times);
    // where something came between, those who wait find that it is not what is held
    if (!isWritten) flight?.land({ kind: 'alone', because: 'lost' });
    else if (mayKeep) flight?.land({ kind: 'stored', record, how: 'fetched', status: head.status });
    else flight?.land({ ...alone, record });
  }

  tooLong({ question }: WebFetch, head: WebHead): void {
    this.#ended.byTooLong(question, head);
  }

  failed(fetch: WebFetch, error: StoreError): boolean {
    const { read, method, stale, client } = fetch.question;
    if (mayChange({ method })) {
      if (!wasNeverSent(error)) this.#records.unsettle(read.target.key);
    } else if (stale && isFailure(error)) {
      if (this.#servesStale(fetch, stale, error.code, error.code === 'BROKEN')) return true;
    }
    if (client && isGetOrHead(method)) read.client.report = failedAtStore(error.code);
    return false;
  }

  unkept({ question: { read, method } }: WebFetch, head: WebHead, times: AnswerTimes): void {
    if (method === 'GET') this.#ended.byUnkept(read, head, times);
  }

  abandoned(fetch: WebFetch): void {
    const { read, method } = fetch.question;
    if (mayChange({ method })) this.#records.unsettle(read.target.key);
  }

  overAfterEarly(fetch: WebFetch, head: WebHead, times: AnswerTimes, isWhole: boolean): void {
    if (isChange(fetch.question, head))
      endChanged(this.#records, fetch.question.read, head, times, isWhole ? 'invalidate' : 'unsettle');
  }

  /** RFC 9111 §4.4, RFC 9875 §3: what has been changed is asked for anew. */
  #changed(fetch: WebFetch, head: WebHead, times: AnswerTimes): AnswerPlan {
    const { read, method, asked, body } = fetch.question;
    if (!isChange(fetch.question, head)) return pass;
    const isAlone = this.#records.isStillAsked(read, asked);
    // who answers before the body has ended may change something after that
    const isEarly = body !== undefined && !body.isSent;
    endChanged(this.#records, read, head, times, isEarly ? 'unsettle' : 'invalidate');
    const isStated = head.control.maxAgeS !== undefined || head.control.sMaxAgeS !== undefined;
    // RFC 9110 §9.3.3: an answer to POST that is the content of its target
    const isContent = method === 'POST' && head.status === 200 && isStated && isOwnLocation(read, head);
    const mayKeep = isAlone && isContent && !isOfOneRequest(read, head) && couldBeOfGet(read.sent, head.vary);
    if (!mayKeep || !isStorable(read, 'GET', head, fetch.question.isUnkept)) return pass;
    // it is newer than what it has changed, but not than what comes before its end
    return {
      ...this.#collecting(fetch, { head, times }),
      asked: { ...this.#records.askedNow(read), barrier: asked.barrier },
    };
  }

  /** RFC 9111 §4.3.3 and §4.3.4. */
  #confirmed(fetch: WebFetch, stale: ReadableRecord, head: WebHead, times: AnswerTimes): AnswerPlan {
    const { read, flight } = fetch.question;
    if (!confirms(head, stale) || this.#records.hasGone(read, stale)) {
      this.#records.forget(read, stale);
      return { kind: 'again', selectors: [] };
    }
    const vary = knownVary(head.vary, this.#records.selectorsOf(read));
    if (learnsSelector(vary, stale, stale.entityTag)) return { kind: 'again', selectors: vary };
    const record = confirmedAnswer(stale, head, times);
    const renewed = readWebHead({ status: record.answer?.status ?? 200, fields: record.fields });
    // a 304 may be for who asks alone, as the whole answer would be (RFC 9111 §3.5)
    const isForOthers =
      !isOfOneRequest(read, renewed) && isStorable(read, 'GET', renewed, fetch.question.isUnkept);
    const arrived = { head: renewed, times };
    this.#own.saw(read, arrived, true);
    const isStored = isForOthers && this.#records.renew(read, stale, record, madeOf(head, times));
    const outcome: LookupOutcome = { ...fetchedOutcome(fetch, head, isStored), how: 'revalidated' };
    this.#clients.answerFrom(fetch, record, outcome, wholeFor(head, record));
    if (!isForOthers) this.#ended.byAlone(fetch.question, stale, renewed);
    flight?.land(
      isForOthers
        ? { kind: 'stored', record, how: 'revalidated', status: head.status }
        : { kind: 'alone', because: aloneBecause(read, renewed, fetch.question.isUnkept), arrived },
    );
    return unwanted;
  }

  /** @param isOfRequest whether the origin may have failed because of what was sent */
  #servesStale(
    fetch: WebFetch,
    stale: ReadableRecord,
    failure: number | StoreError['code'],
    isOfRequest: boolean,
  ): boolean {
    const { read, mayBeOther } = fetch.question;
    if (mayBeOther) return false;
    if (stale !== this.#records.find(read) || !mayServeOnError(stale, read, this.#cache.nowMs()))
      return false;
    const outcome = { ...staleOutcome('stale-if-error'), forwarded: 'stale' as const };
    const forwardStatus = typeof failure === 'number' ? failure : undefined;
    this.#clients.answerFrom(fetch, stale, { ...outcome, forwardStatus });
    fetch.question.flight?.land({ kind: 'stale', record: stale, isOfRequest, failure });
    return true;
  }

  #kept(fetch: WebFetch, arrived: ArrivedHead): AnswerPlan {
    const { head, times } = arrived;
    const { status, lengthBytes, sizeBytes } = readContentHead(head);
    const { maxObjectSizeBytes } = fetch.question.read.policy;
    if (strongTag(head) !== undefined && sizeBytes !== undefined && (status === 200 || status === 206))
      return sizeBytes > maxObjectSizeBytes ? pass : this.#filling(fetch, head, sizeBytes, times);
    if (status === 206) return isKeptPart(fetch.question, arrived) ? this.#collecting(fetch, arrived) : pass;
    if (lengthBytes === 'unusable' || isEventStream(head, lengthBytes)) return pass;
    const isTooLong = (lengthBytes ?? 0) > Math.min(COLLECTED_LIMIT_BYTES, maxObjectSizeBytes);
    return isTooLong ? pass : this.#collecting(fetch, arrived);
  }

  #collecting(fetch: WebFetch, arrived: ArrivedHead): Extract<AnswerPlan, { kind: 'collect' }> {
    const { flight, read } = fetch.question;
    const { maxObjectSizeBytes } = read.policy;
    if (isOfUse(arrived.head, read.policy, arrived.times))
      flight?.answered({ ...arrived, by: read, hasBody: true, isFor: 'all' });
    return { kind: 'collect', body: this.#collections.begin(maxObjectSizeBytes, bodyClientOf(fetch)) };
  }

  /** Bytes under a strong tag: they complete what is held of the same content (RFC 9111 §3.4). */
  #filling(fetch: WebFetch, head: WebHead, sizeBytes: number, times: AnswerTimes): AnswerPlan {
    const { read, flight } = fetch.question;
    const { range, status } = readContentHead(head);
    if (status === 206 && (!range || read.fields.range === undefined)) return pass;
    const isUnfinished = this.#records.unfinished.has(read.target.key, this.#cache.nowMs());
    if (range && isUnfinished) return pass;
    const [from, to] = range ? [range.first, range.last + 1] : [0, sizeBytes];
    if (hasOtherLength(readContentHead(head), to - from)) return pass;
    const asked = read.contentRead(head.vary);
    const identity = webIdentity(read, head, sizeBytes);
    const tagSlots = tagSlotsOfAnswer(head.fields, times.groupSlots);
    const content = this.#records.contentOf(read, asked, identity, times, tagSlots);
    const record = storedAnswer(head, 200, content, times);
    const isStored = this.#records.store(read, record, madeOf(head, times));
    // the client would have to wait for the rest
    if (isUnfinished && content.hasBlockIn(from, to)) return pass;
    if (!isStored) this.#cache.keepWhileRead(content);
    // who began it alone and has left has aborted it
    const transfer = { call: fetch.call, isAwaited: true };
    const receiver = to > from ? this.#cache.receive(asked, content, from, to, transfer) : undefined;
    this.#clients.answerFrom(fetch, record, fetchedOutcome(fetch, head, isStored), head);
    flight?.land({ kind: 'stored', record, how: 'fetched', status: head.status });
    return { kind: 'fill', receiver, lengthBytes: to - from };
  }

  /** RFC 9111 §4.3.5: HEAD freshens what it still describes. */
  #described({ question }: WebFetch, head: WebHead, times: AnswerTimes, isForOthers: boolean): void {
    const { read, flight } = question;
    const held = this.#ended.byHead(question, head, times, isForOthers);
    if (!held) return;
    const record = confirmedAnswer(held, readWebHead(head), times);
    if (this.#records.renew(read, held, record, madeOf(head, times)))
      flight?.land({ kind: 'stored', record, how: 'revalidated', status: head.status });
  }
}

function bodyClientOf({ question: { client, read } }: WebFetch) {
  return client?.isWaiting ? read.client : undefined;
}
