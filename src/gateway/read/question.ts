import type { Asking, ObjectRecord } from '../../cache/record.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** A question to a store, as it was asked. */
export interface Question extends Asking {
  readonly read: ObjectRead;
  readonly method: 'GET' | 'HEAD';
  /** The part that is asked about; undefined for the object. */
  readonly partNumber: number | undefined;
  readonly requestedMs: number;
  /** See `AnswerOrder`; undefined: it is later than all others. */
  readonly number: number | undefined;
}

/**
 * The question for bytes of `record`: it counts from when that was learned, since the bytes are of what was there then. But no other
 * answer is later.
 */
export function questionForBytes(read: ObjectRead, record: ObjectRecord): Question {
  const { epoch, barrier, isUnsettled, receivedMs: requestedMs } = record;
  return {
    read,
    method: 'GET',
    partNumber: undefined,
    epoch,
    barrier,
    isUnsettled,
    requestedMs,
    heldTags: [record.tagSlots],
    number: undefined,
  };
}
