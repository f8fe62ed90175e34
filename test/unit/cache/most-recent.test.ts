import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dateMsOf, isMoreRecent, madeMsOf } from '../../../src/cache/most-recent.ts';
import { httpHeader } from '../../support/asked-ranges.ts';

/** An answer that came `atMs` after the hour, with its date in seconds after the hour. */
function answerOf(atMs: number, dateS?: number) {
  const hourMs = Date.UTC(2026, 10, 29, 10);
  const date =
    dateS === undefined ? [] : [httpHeader('date', new Date(hourMs + dateS * 1_000).toUTCString())];
  return { receivedMs: hourMs + atMs, fields: date };
}

it.each([
  ['of a later second, though it came before', answerOf(5_000, 3), answerOf(6_000, 2)],
  ['that came later in the same second', answerOf(5_500, 5), answerOf(5_200, 5)],
  ['that came later where the other is dated in the future', answerOf(6_100, 6), answerOf(5_900, 3_600)],
  ['also in the same second', answerOf(5_900, 5), answerOf(5_200, 3_600)],
  ['that came later where one has no date', answerOf(6_000), answerOf(5_000, 5)],
  ['or neither', answerOf(6_000), answerOf(5_000)],
  [
    'that is dated later, and not what came in between without a date',
    answerOf(5_000, 5),
    answerOf(7_000, 3),
  ],
])('the one %s is the more recent', (_, one, other) => {
  expect([isMoreRecent(one, other), isMoreRecent(other, one)]).toEqual([true, false]);
});

it('a date of the store or one that cannot be read is none', () => {
  const { receivedMs } = answerOf(0);
  for (const field of [
    httpHeader('date', 'soon'),
    { ...httpHeader('date', new Date(0).toUTCString()), store: true },
  ])
    expect(dateMsOf({ receivedMs, fields: [field] })).toBeUndefined();
  expect(madeMsOf(answerOf(5_900, 4))).toBe(answerOf(4_000).receivedMs);
  expect(madeMsOf(answerOf(5_900))).toBe(answerOf(5_000).receivedMs);
});

it('two dates are none', () => {
  const { receivedMs, fields } = answerOf(0, 0);
  expect(dateMsOf({ receivedMs, fields: [...fields, ...fields] })).toBeUndefined();
});

it('is an order, whichever of the answers have dates that can be read', () => {
  const answers = fc
    .record({ atMs: fc.nat(4_000), dateS: fc.option(fc.nat(5), { nil: undefined }) })
    .map(({ atMs, dateS }) => answerOf(atMs, dateS));
  fc.assert(
    fc.property(answers, answers, answers, (one, other, third) => {
      expect(isMoreRecent(one, other) && isMoreRecent(other, one)).toBe(false);
      if (isMoreRecent(one, other) && isMoreRecent(other, third)) expect(isMoreRecent(one, third)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
