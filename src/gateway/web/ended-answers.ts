import { freshUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isOfServer } from '../../http/whose-error.ts';
import { described } from './confirmation.ts';
import { endsStored } from './one-request.ts';
import type { AnswerTimes, WebHead } from './stored-answer.ts';
import type { WebQuestion } from './web-fetch.ts';
import type { WebRead } from './web-read.ts';
import type { WebRecords } from './web-records.ts';

/**
 * The origin says something that is not kept. What is fresh stays a hit, and what it refuses can be confirmed again: it may be for
 * what one request has sent. Neither is served where the origin fails, until it is confirmed.
 *
 * @param nowMs milliseconds since the epoch
 */
export function endHeld(
  records: Pick<WebRecords, 'withdraw' | 'forget'>,
  { read, isUnkept }: Pick<WebQuestion, 'read' | 'isUnkept'>,
  held: ReadableRecord,
  head: WebHead,
  nowMs: number,
): void {
  if (endsStored(read, head, isUnkept)) outlive(records, read, held, head, nowMs);
}

/** The same of an answer that was for all, whoever has asked. */
export function outlive(
  records: Pick<WebRecords, 'withdraw' | 'forget'>,
  read: WebRead,
  held: ReadableRecord,
  head: WebHead,
  nowMs: number,
): void {
  if (freshUntilMs(held, read.policy, nowMs) > nowMs || head.status >= 400) records.withdraw(read, held);
  else records.forget(read, held);
}

/**
 * The body of an answer for all does not come to its end, or is not kept: who needed no more was told the head, so that it has told of
 * the target what HEAD would have (RFC 9111 §4.3.5). A part, or an error of the server, says nothing of the whole.
 *
 * @param nowMs milliseconds since the epoch
 */
export function endByUnkept(
  records: Pick<WebRecords, 'find' | 'isStillAsked' | 'outdate' | 'withdraw' | 'forget'>,
  read: WebRead,
  head: WebHead,
  times: AnswerTimes,
  nowMs: number,
): void {
  const held = records.find(read);
  if (!held || !records.isStillAsked(read, times)) return;
  if (head.status === held.answer?.status) {
    if (described(held, head) === 'other') records.outdate(read, held, nowMs);
  } else if (head.status !== 206 && !isOfServer(head.status)) outlive(records, read, held, head, nowMs);
}
