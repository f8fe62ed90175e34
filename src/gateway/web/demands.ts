import type { ReadableRecord } from '../../cache/record.ts';
import { evaluatePreconditions, heedsConditions } from '../../http/preconditions.ts';
import type { WebFields, WebRead } from './web-read.ts';

/** Whether the client wants an answer only where a condition holds that is for the origin to judge (RFC 9111 §4.3.2). */
export function isDemanding({ ifMatch, ifUnmodifiedSince }: WebFields): boolean {
  return ifMatch !== undefined || ifUnmodifiedSince !== undefined;
}

/**
 * Whether `record` is what the client demands. What is not is no answer to it, and no reason to refuse it either: the origin may have
 * another one by now (docs/semantics.md, Decided 17).
 */
export function meetsDemands(
  record: ReadableRecord,
  { fields, nowMs }: Pick<WebRead, 'fields' | 'nowMs'>,
): boolean {
  if (!isDemanding(fields)) return true;
  // conditions are for what is there
  if (!heedsConditions(record.answer?.status ?? 200)) return true;
  const demands = { ...fields, ifNoneMatch: undefined, ifModifiedSince: undefined };
  return evaluatePreconditions(demands, record, nowMs).kind !== 'failed';
}

/** The conditions of the client that are judged here, once it is to get the answer. */
export function ownConditions(fields: WebFields): WebFields {
  return isDemanding(fields) ? { ...fields, ifMatch: undefined, ifUnmodifiedSince: undefined } : fields;
}
