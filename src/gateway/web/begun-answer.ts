import type { StoreReplyHead } from '../../backend/store.ts';
import { ageS } from '../../cache/freshness.ts';
import { isInNotModified } from '../../http/not-modified-fields.ts';
import { evaluatePreconditions, heedsConditions } from '../../http/preconditions.ts';
import { validatorsOf } from './made-answer.ts';
import { isOfOneRequest } from './one-request.ts';
import { mayTakeWhole } from './shared-questions.ts';
import { describe, storedFields, wouldAnswer } from './stored-answer.ts';
import { type BegunAnswer, selectsBegun } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/**
 * What `read` gets of an answer that has begun and will be kept, before its body has come: HEAD gets no body, nor does who has the
 * content already (RFC 9110 §13.2.2). Undefined for whoever needs the body, or another answer.
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
  const { status, control } = head;
  if (!mayTakeWhole(read) || status === 206) return undefined;
  if (!selectsBegun(read, begun, first) || isOfOneRequest(read, head)) return undefined;
  const stored = storedFields(head.fields, control, times.receivedMs);
  const described = { receivedMs: times.receivedMs, ...describe(stored, head, times) };
  // RFC 9111 §5.1: the body may take long, and who is told by a 304 that it has the content counts from this (§4.3.4)
  const fields = [...stored, { name: 'age', value: String(ageS(described, nowMs)), store: false }];
  if (heedsConditions(status) && read.fields.isConditional) {
    const verdict = evaluatePreconditions(read.fields, validatorsOf(described), read.nowMs);
    if (verdict.kind === 'not-modified')
      return { status: 304, fields: fields.filter(({ name }) => isInNotModified(name)) };
  }
  return read.method === 'HEAD'
    ? { status, fields: [...fields, ...head.fields.filter(({ name }) => name === 'content-length')] }
    : undefined;
}

/**
 * Whether `read`, which comes after an answer has begun, may share it. What it would be told of it at once has to be what it would get
 * from the cache (RFC 9111 §4): the body may take long, and the origin may say something else by now. Who needs the body waits for it.
 */
export function mayShareBegun(read: WebRead, begun: BegunAnswer, first: WebRead, nowMs: number): boolean {
  return wouldAnswer(begun, read, nowMs) || headFor(read, begun, first, nowMs) === undefined;
}
