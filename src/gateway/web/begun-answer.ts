import type { StoreReplyHead } from '../../backend/store.ts';
import { isInNotModified } from '../../http/not-modified-fields.ts';
import { evaluatePreconditions, heedsConditions } from '../../http/preconditions.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { validatorsOf } from './made-answer.ts';
import { isOfOneRequest } from './one-request.ts';
import { mayTakeWhole } from './shared-questions.ts';
import { type ArrivedHead, describe, storedFields } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/**
 * What `read` gets of an answer that has begun and will be kept, before its body has come: HEAD gets no body, nor does who has the
 * content already (RFC 9110 §13.2.2). Undefined for whoever needs the body, or another answer.
 *
 * @param first who has asked for it
 */
export function headFor(
  read: WebRead,
  { head, times }: ArrivedHead,
  first: WebRead,
): StoreReplyHead | undefined {
  const names = head.vary === '*' ? [] : head.vary;
  const isSelected = read.variantName(names) === first.variantName(names) && !isOfOneRequest(read, head);
  if (!mayTakeWhole(read) || !isSelected || head.status === 206) return undefined;
  const { status, control } = head;
  const fields = storedFields(head.fields, control, times.receivedMs);
  if (heedsConditions(status) && read.fields.isConditional) {
    const described = { receivedMs: times.receivedMs, ...describe(fields, head, times) };
    const verdict = evaluatePreconditions(read.fields, validatorsOf(described), read.nowMs);
    if (verdict.kind === 'not-modified')
      return { status: 304, fields: fields.filter(({ name }) => isInNotModified(name)) };
  }
  return read.method === 'HEAD'
    ? { status, fields: [...fields, ...head.fields.filter(isOfLength)] }
    : undefined;
}

function isOfLength({ name }: HeaderField): boolean {
  return name === 'content-length' || name === 'age';
}
