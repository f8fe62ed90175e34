import type { StoreReplyHead } from '../../backend/store.ts';
import { ageS } from '../../cache/freshness.ts';
import { isInNotModified } from '../../http/not-modified-fields.ts';
import { evaluatePreconditions, heedsConditions } from '../../http/preconditions.ts';
import { isDemanding } from './demands.ts';
import { validatorsOf } from './made-answer.ts';
import { wholeOf } from './one-request.ts';
import { describe, storedFields, wouldAnswer } from './stored-answer.ts';
import { type BegunAnswer, selectsBegun } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/**
 * What `read` gets of an answer for others as well whose body has not come: HEAD gets no body, nor does who has the content already
 * (RFC 9110 §13.2.2). Undefined for whoever needs the body, or another answer.
 *
 * @param first who has asked for it
 * @param nowMs when the client gets it, which may be long after it has arrived
 */
export function headFor(
  read: WebRead,
  begun: BegunAnswer,
  first: WebRead,
  nowMs: number,
): StoreReplyHead | undefined {
  const { head, times } = begun;
  const isHead = read.method === 'HEAD';
  if (isDemanding(read.fields) || !(isHead || read.fields.isConditional)) return undefined;
  if (head.status === 206 || !selectsBegun(read, begun, first)) return undefined;
  const whole = wholeOf(head);
  const stored = storedFields(head.fields, whole.control, times.receivedMs);
  const described = { receivedMs: times.receivedMs, ...describe(stored, whole, times) };
  // RFC 9111 §5.1: the body may take long, and who is told by a 304 that it has the content counts from this (§4.3.4)
  const fields = [...stored, { name: 'age', value: String(ageS(described, nowMs)), store: false }];
  if (heedsConditions(whole.status) && read.fields.isConditional) {
    const verdict = evaluatePreconditions(read.fields, validatorsOf(described), read.nowMs);
    if (verdict.kind === 'not-modified')
      return { status: 304, fields: fields.filter(({ name }) => isInNotModified(name)) };
  }
  // a 304 does not tell all that HEAD would
  if (!isHead || head.status === 304) return undefined;
  const length = head.fields.filter(({ name }) => name === 'content-length');
  return { status: head.status, fields: [...fields, ...length] };
}

/**
 * Whether `read`, which comes after an answer has begun, may share it. A head is given at once only where the cache would give it
 * (RFC 9111 §4): the body may take long, and the origin may say something else by now. Who needs the body waits for it.
 */
export function mayShareBegun(read: WebRead, begun: BegunAnswer, first: WebRead, nowMs: number): boolean {
  // whether it is what is demanded, its body does not tell
  if (read.method === 'HEAD' && isDemanding(read.fields)) return false;
  return wouldAnswer(begun, read, nowMs) || headFor(read, begun, first, nowMs) === undefined;
}
