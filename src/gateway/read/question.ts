import type { Asking } from '../../cache/record.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** A question to a store, as it was asked. */
export interface Question extends Asking {
  readonly read: ObjectRead;
  readonly method: 'GET' | 'HEAD';
  /** The part that is asked about; undefined for the object. */
  readonly partNumber: number | undefined;
  readonly requestedMs: number;
  /** See `AnswerOrder`. */
  readonly number: number;
}
