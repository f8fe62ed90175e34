import type { ReadableRecord } from '../../cache/record.ts';
import { parseCachedDate } from '../../http/http-date.ts';
import { fieldValue } from './outgoing-fields.ts';
import type { AnswerTimes, WebHead } from './stored-answer.ts';

/** When the origin has made an answer, as that says itself. */
export function dateMsOf({
  fields,
  receivedMs,
}: Pick<ReadableRecord, 'fields' | 'receivedMs'>): number | undefined {
  return parseCachedDate(fieldValue(fields, 'date') ?? '', receivedMs);
}

/** How an answer came about: what tells which of two is the newer one, and what a purge has overtaken. */
export interface Made {
  /** When the origin was asked. */
  readonly requestedMs: number;
  /** When it has made the answer; undefined where it does not say. */
  readonly dateMs: number | undefined;
  readonly heldTagSlots: readonly number[];
}

export function madeOf({ fields }: WebHead, times: AnswerTimes): Made {
  const { requestedMs, heldTagSlots, receivedMs } = times;
  return { requestedMs, heldTagSlots, dateMs: dateMsOf({ fields, receivedMs }) };
}

type Dated = Omit<Made, 'heldTagSlots'>;

/** Where both are dated, that decides: an answer may have been kept on its way. */
export function isLater(one: Dated, other: Dated): boolean {
  const isDated = one.dateMs !== undefined && other.dateMs !== undefined && one.dateMs !== other.dateMs;
  return isDated ? Number(one.dateMs) > Number(other.dateMs) : one.requestedMs > other.requestedMs;
}
