import type { ReadableRecord } from '../../cache/record.ts';
import { ifRangeHolds } from '../../http/preconditions.ts';
import { type Selection, selectRange } from '../../http/range.ts';
import type { ClientRead } from '../request/client-read.ts';

const whole: Selection = { kind: 'whole' };

/**
 * The bytes of `record` that a client gets, without part numbers (RFC 9110 §13.1.5, §14.2).
 *
 * @param isUndated see `Representation`
 */
export function selectionFor(
  { fields, range }: ClientRead,
  record: ReadableRecord,
  isUndated: boolean,
): Selection {
  if (range.kind === 'absent' || isUndated || !ifRangeHolds(fields.ifRange, record)) return whole;
  return selectRange(range, record.sizeBytes);
}
