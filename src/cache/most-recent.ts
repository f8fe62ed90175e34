import { attach } from '../base/attach.ts';
import { parseCachedDate } from '../http/http-date.ts';
import type { ObjectRecord } from './record.ts';

/** What tells how recent an answer of a web origin is. */
type Dated = Pick<ObjectRecord, 'fields' | 'receivedMs'>;

/** When the origin has made an answer, as that says itself. */
export function dateMsOf({ fields, receivedMs }: Dated): number | undefined {
  const dates = fields.filter(({ name, store }) => name === 'date' && !store);
  return parseCachedDate(dates.map(({ value }) => value).join(', '), receivedMs);
}

const MADE = Symbol('made');

/** Found once for each record, since each read of several variants compares them. */
type DatedOnce = Dated & { readonly [MADE]?: { readonly ms: number | undefined } };

/** The same as far as it can be: a date that was still to come when the answer came, in that second, is that of a wrong clock. */
export function madeMsOf(answer: DatedOnce): number | undefined {
  const { ms } = answer[MADE] ?? attach(answer, MADE, { ms: boundedMsOf(answer) });
  return ms;
}

function boundedMsOf(answer: Dated): number | undefined {
  const dateMs = dateMsOf(answer);
  return dateMs === undefined ? undefined : Math.min(dateMs, answer.receivedMs - (answer.receivedMs % 1_000));
}

/** Whether of two answers the first is the more recent: by their dates (RFC 9111 §4), else by when they came. */
export function isMoreRecent(one: Dated, other: Dated): boolean {
  const [oneMs, otherMs] = [madeMsOf(one), madeMsOf(other)];
  const isDated = oneMs !== undefined && otherMs !== undefined && oneMs !== otherMs;
  return isDated ? oneMs > otherMs : one.receivedMs > other.receivedMs;
}
