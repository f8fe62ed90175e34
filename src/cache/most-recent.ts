import { attach } from '../base/attach.ts';
import { parseCachedDate } from '../http/http-date.ts';
import { fieldValue } from '../s3/dialect.ts';
import type { ObjectRecord } from './record.ts';

/** What tells how recent an answer of a web origin is. */
type Dated = Pick<ObjectRecord, 'fields' | 'receivedMs'>;

/** When the origin has made an answer, as that says itself. */
export function dateMsOf({ fields, receivedMs }: Dated): number | undefined {
  return parseCachedDate(fieldValue(fields, 'date') ?? '', receivedMs);
}

/** The same as far as it can be: a date that was still to come when the answer came, in that second, is that of a wrong clock. */
export function pastDateMsOf(answer: Dated): number | undefined {
  const dateMs = dateMsOf(answer);
  return dateMs === undefined ? undefined : Math.min(dateMs, secondOf(answer.receivedMs));
}

function secondOf(ms: number): number {
  return ms - (ms % 1_000);
}

const MADE = Symbol('made');

/** Found once for each record, since each read of several variants compares them. */
type DatedOnce = Dated & { readonly [MADE]?: number };

/** When an answer was made, to the second: where that cannot be read, when it came (RFC 9110 §6.6.1). */
export function madeMsOf(answer: DatedOnce): number {
  return answer[MADE] ?? attach(answer, MADE, pastDateMsOf(answer) ?? secondOf(answer.receivedMs));
}

/** Whether of two answers the first is the more recent: by their dates (RFC 9111 §4), in one second by when they came. */
export function isMoreRecent(one: Dated, other: Dated): boolean {
  const [oneMs, otherMs] = [madeMsOf(one), madeMsOf(other)];
  return oneMs === otherMs ? one.receivedMs > other.receivedMs : oneMs > otherMs;
}
