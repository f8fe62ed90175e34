import type { StoreReplyHead } from '../../backend/store.ts';
import { ageS } from '../../cache/freshness.ts';
import { isInNotModified } from '../../http/not-modified-fields.ts';
import { evaluatePreconditions, heedsConditions } from '../../http/preconditions.ts';
import { isDemanding } from './demands.ts';
import { validatorsOf } from './made-answer.ts';
import { asksOtherwise, wholeOf } from './one-request.ts';
import { describe, storedFields, wouldAnswer } from './stored-answer.ts';
import { type BegunAnswer, selectsBegun } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/**
 * What `read` gets of an answer for others as well whose body has not come: a head, where it is by HEAD or has the content already
 * (RFC 9110 §13.2.2), else the body; or neither, where it selects or demands another one.
 *
 * @param nowMs when the client gets it, which may be long after it has arrived
 */
export function shareOf(
  read: WebRead,
  begun: BegunAnswer,
  nowMs: number,
): StoreReplyHead | 'body' | 'other variant' | 'other demand' {
  const { head, times } = begun;
  const isHead = read.method === 'HEAD';
  if (!selectsBegun(read, begun)) return 'other variant';
  if (head.status === 206 || !(isHead || read.fields.isConditional || isDemanding(read.fields)))
    return 'body';
  const whole = wholeOf(head);
  const stored = storedFields(head.fields, whole.control, times.receivedMs);
  const described = { receivedMs: times.receivedMs, ...describe(stored, whole, times) };
  // RFC 9111 §5.1: the body may take long, and who is told by a 304 that it has the content counts from this (§4.3.4)
  const fields = [...stored, { name: 'age', value: String(ageS(described, nowMs)), store: false }];
  const verdict = heedsConditions(whole.status)
    ? evaluatePreconditions(read.fields, validatorsOf(described), read.nowMs).kind
    : 'proceed';
  if (verdict === 'failed') return 'other demand';
  // nobody else would share its question, and what is no hit is told nobody who has come later
  const mayNeedRange = !isHead && read.fields.range !== undefined;
  if (mayNeedRange && !wouldAnswer(begun, read, nowMs)) return 'body';
  if (verdict === 'not-modified' || isConfirmedAsWell(read, begun))
    return { status: 304, fields: fields.filter(({ name }) => isInNotModified(name)) };
  // a 304 does not tell all that HEAD would
  if (!isHead || head.status === 304) return 'body';
  const length = head.fields.filter(({ name }) => name === 'content-length');
  return { status: head.status, fields: [...fields, ...length] };
}

/** Whether `read` has asked what a 304 has answered: that need not repeat the validators (RFC 9110 §15.4.5). */
function isConfirmedAsWell({ fields }: WebRead, { head, by }: BegunAnswer): boolean {
  const { isConditional, ifNoneMatch, ifModifiedSince } = by.fields;
  if (head.status !== 304 || !isConditional) return false;
  return fields.ifNoneMatch === ifNoneMatch && fields.ifModifiedSince === ifModifiedSince;
}

/**
 * Whether what has begun is for `read` as well. Without a body it may leave Vary out, or name less than what is known of the page: who
 * selects another variant is told nothing (RFC 9111 §4.1).
 *
 * @param selectors what answers vary by that are held, or have begun
 * @param hasBegun whether any has that will be for all
 */
export function isForReader(
  read: WebRead,
  { head, by, hasBody, isFor }: BegunAnswer,
  selectors: readonly string[],
  hasBegun: boolean,
): boolean {
  if (hasBody) return true;
  if (isDemanding(read.fields)) return false;
  const saysVary = hasBegun || head.fields.some(({ name }) => name === 'vary');
  if (isFor === 'alike' || !saysVary)
    return !asksOtherwise(read, by) && (isFor === 'all' || !read.isPersonal);
  return read.variantName(selectors) === by.variantName(selectors);
}

/**
 * Whether `read`, which comes after an answer has begun, may share it. A head is given at once only where the cache would give it
 * (RFC 9111 §4): the body may take long, and the origin may say something else by now. Who needs the body waits for it.
 */
export function mayShareBegun(read: WebRead, begun: BegunAnswer, nowMs: number): boolean {
  const share = shareOf(read, begun, nowMs);
  return share === 'body' || (typeof share === 'object' && wouldAnswer(begun, read, nowMs));
}
