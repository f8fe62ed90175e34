import { attach } from '../../base/attach.ts';
import { dateMsOf, pastDateMsOf } from '../../cache/most-recent.ts';
import type { Asking, ReadableRecord } from '../../cache/record.ts';
import { isOfServer } from '../../http/whose-error.ts';
import type { AnswerTimes, WebHead } from './stored-answer.ts';

/** What tells which of two answers is the newer one. */
interface Dating {
  /** When the origin was asked. */
  readonly requestedMs: number;
  /** When it has made the answer; undefined where it does not say. */
  readonly dateMs: number | undefined;
}

/** How an answer came about. */
export interface Made extends Dating, Pick<Asking, 'heldTags'> {}

export function madeOf({ fields }: WebHead, times: AnswerTimes): Made {
  const { requestedMs, heldTags, receivedMs } = times;
  return { requestedMs, heldTags, dateMs: pastDateMsOf({ fields, receivedMs }) };
}

const DATED = Symbol('dated');

/** `record` was made of the answer that came about so: known until it is packed, or another record takes its place. */
export function rememberDating(record: ReadableRecord, dating: Dating): void {
  attach(record, DATED, dating);
}

/** How the answer came about that `record` was made of. */
function datingOf(record: ReadableRecord & { readonly [DATED]?: Dating }): Dating {
  return record[DATED] ?? { requestedMs: record.receivedMs, dateMs: pastDateMsOf(record) };
}

/** Where both are dated, that decides: an answer may have been kept on its way. Otherwise what was asked for later is. */
function isLater(one: Dating, other: Dating): boolean {
  const isDated = one.dateMs !== undefined && other.dateMs !== undefined && one.dateMs !== other.dateMs;
  return isDated ? Number(one.dateMs) > Number(other.dateMs) : one.requestedMs > other.requestedMs;
}

/** Whether an answer may be about another request alone, see `isOfServer`. */
export function tellsOfServer({ answer }: ReadableRecord): boolean {
  return answer !== undefined && isOfServer(answer.status);
}

/**
 * Whether another request has brought `held`, which the origin has made later than an answer that came about so (RFC 9111 §4). That a
 * server fails says nothing of the page.
 */
export function overtakes(held: ReadableRecord, dating: Dating): boolean {
  return !tellsOfServer(held) && held.receivedMs > dating.requestedMs && isLater(datingOf(held), dating);
}

/** RFC 9111 §4.3.2: without Last-Modified, If-Modified-Since is held against the Date. */
export function validatorsOf(
  answer: Pick<ReadableRecord, 'entityTag' | 'lastModifiedMs' | 'fields' | 'receivedMs'>,
) {
  const { entityTag, lastModifiedMs } = answer;
  if (lastModifiedMs !== undefined) return answer;
  return { entityTag, lastModifiedMs: dateMsOf(answer) };
}
