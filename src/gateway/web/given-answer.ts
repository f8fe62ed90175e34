import { dateMsOf } from '../../cache/most-recent.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import {
  evaluatePreconditions,
  heedsConditions,
  ifRangeHolds,
  strongValidators,
} from '../../http/preconditions.ts';
import { parseRange, type Selection, selectRange } from '../../http/range.ts';
import { ownConditions } from './demands.ts';
import { validatorsOf } from './made-answer.ts';
import type { WebRead } from './web-read.ts';

/** What a client gets of a stored answer: its bytes, some of them, or that they are what it has already. */
type Given = Selection | { readonly kind: 'not-modified' };

const whole: Given = Object.freeze({ kind: 'whole' });
const notModified: Given = Object.freeze({ kind: 'not-modified' });

/** What of `record` `read` is answered with, whose demands are met, or the origin has not minded them. */
export function givenOf(
  record: ReadableRecord,
  { fields, method, nowMs }: Pick<WebRead, 'fields' | 'method' | 'nowMs'>,
): Given {
  const { status = 200 } = record.answer ?? {};
  const conditions = ownConditions(fields);
  if (conditions.isConditional && heedsConditions(status)) {
    const verdict = evaluatePreconditions(conditions, validatorsOf(record), nowMs);
    if (verdict.kind === 'not-modified') return notModified;
  }
  const { range, ifRange } = fields;
  // RFC 9110 §14.2: a range is of what is answered with 200
  if (range === undefined || method === 'HEAD' || status !== 200) return whole;
  const isAsked = ifRange === undefined || ifRangeHolds(ifRange, strongValidators(record, dateMsOf(record)));
  return isAsked ? selectRange(parseRange(range), record.sizeBytes) : whole;
}
