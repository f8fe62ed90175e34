import { freshUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isOfServer, isOfTarget } from '../../http/whose-error.ts';
import { isPart } from './asked-range.ts';
import { described } from './confirmation.ts';
import { madeOf, overtakes } from './made-answer.ts';
import { isOfOneRequest } from './one-request.ts';
import { type AnswerTimes, knownVary, type WebHead } from './stored-answer.ts';
import type { WebQuestion } from './web-fetch.ts';
import type { WebRead } from './web-read.ts';
import type { WebRecords } from './web-records.ts';

type HeldRecords = Pick<
  WebRecords,
  'find' | 'isStillAsked' | 'selectorsOf' | 'changed' | 'outdate' | 'withdraw' | 'forget'
>;

/**
 * What answers that are not kept say of what is held of their target:
 *
 * - to HEAD, or to a GET whose body does not come to its end, and for all: under the same status, whether it is the same still
 *   (RFC 9111 §4.3.5); under another one, that the origin has something else;
 * - to a GET, for all, and longer than what is kept, or of no use to the cache: that the origin has something else;
 * - for who asked alone: that the origin refuses it, or has something else, where that cannot be because of who asked.
 *
 * An error of the server says nothing, nor does a part of the whole, nor what is older than what has come meanwhile: that has taken
 * the place of what a GET was to replace.
 *
 * What is outdated or withdrawn can be confirmed again. Until then, what is outdated is no hit; what is withdrawn is one while it is
 * fresh, and is not served where the origin fails. What is stale is forgotten where the origin has something else.
 */
export class EndedAnswers {
  readonly #records: HeldRecords;
  readonly #nowMs: () => number;

  /** @param nowMs milliseconds since the epoch */
  constructor(records: HeldRecords, nowMs: () => number) {
    this.#records = records;
    this.#nowMs = nowMs;
  }

  /** By an answer to GET or HEAD that is for who asked alone, or of no use to others. */
  byAlone(
    { read, isUnkept }: Pick<WebQuestion, 'read' | 'isUnkept'>,
    held: ReadableRecord,
    head: WebHead,
  ): void {
    if (saysOfOthers(read, head, isUnkept)) this.#end(read, held, head);
  }

  /** By an answer for all that is longer than what is kept. @param stale what it was to take the place of */
  byTooLong({ read, stale }: Pick<WebQuestion, 'read' | 'stale'>, head: WebHead): void {
    const isOfHeld = stale !== undefined && (head.status !== 206 || isPart(stale));
    if (isOfHeld && !isOfTarget(head.status)) this.#end(read, stale, head);
  }

  /** By an answer for all whose body does not come to its end, or cannot be kept: who needed no more was told the head. */
  byUnkept(read: WebRead, head: WebHead, times: AnswerTimes): void {
    const held = this.#records.find(read);
    if (!held || !this.#records.isStillAsked(read, times) || overtakes(held, madeOf(head, times))) return;
    if (head.status === held.answer?.status) this.#outdateUnlessSame(read, held, head);
    else if (head.status !== 206 && !isOfServer(head.status)) this.#end(read, held, head);
  }

  /**
   * By an answer to HEAD.
   *
   * @param isForOthers whether it could be kept for them, had it a body
   * @returns what is held that it has confirmed
   */
  byHead(
    question: WebQuestion,
    head: WebHead,
    times: AnswerTimes,
    isForOthers: boolean,
  ): ReadableRecord | undefined {
    const { read } = question;
    const held = this.#records.find(read);
    const isOfAll = isForOthers && !isOfServer(head.status);
    // whether it is what others were told is not known here any more
    if (!held && isOfAll) this.#records.changed(read);
    // of a range, which HEAD has none of (RFC 9110 §14.2), it says nothing of the whole
    if (!held || (head.status === 206 && isForOthers)) return undefined;
    if (overtakes(held, madeOf(head, times))) return undefined;
    if (isOfAll && head.status === held.answer?.status)
      return this.#outdateUnlessSame(read, held, head) ? held : undefined;
    this.byAlone(question, held, head);
    return undefined;
  }

  /** `held` is outdated where `head` tells of another one. @returns whether it tells of the same */
  #outdateUnlessSame(read: WebRead, held: ReadableRecord, head: WebHead): boolean {
    const vary = knownVary(head.vary, this.#records.selectorsOf(read));
    const what = described(held, head, vary);
    if (what === 'other') this.#records.outdate(read, held, this.#nowMs());
    return what === 'same';
  }

  /** What is fresh stays a hit, and what the origin refuses can be confirmed again: it may be for what one request has sent. */
  #end(read: WebRead, held: ReadableRecord, head: WebHead): void {
    if (freshUntilMs(held, read.policy, this.#nowMs()) > this.#nowMs() || head.status >= 400)
      this.#records.withdraw(read, held);
    else this.#records.forget(read, held);
  }
}

/**
 * Whether what one request has got says of all that the origin has something else now, or refuses it: not where it may be about that
 * request alone, or is not kept because of who asked, nor that there is no HEAD (RFC 9110 §15.5.6).
 */
function saysOfOthers(read: WebRead, head: WebHead, isUnkept: boolean): boolean {
  const { status } = head;
  if (read.isPersonal || isUnkept) return false;
  if (status === 401 || status === 403) return true;
  return !isOfServer(status) && !isOfOneRequest(read, head) && !(status === 405 && read.method === 'HEAD');
}
