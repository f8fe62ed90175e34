import { expect, it } from 'vitest';
import type { ReadableRecord } from '../../../../src/cache/record.ts';
import { madeOf, overtakes, rememberDating } from '../../../../src/gateway/web/made-answer.ts';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';

it.each([
  ['was asked for later where neither has a date', { requestedMs: 2 }, { requestedMs: 1 }, true],
  ['was asked for later where one has none', { requestedMs: 2 }, { requestedMs: 1, dateMs: 5_000 }, true],
  ['and where it has one itself', { requestedMs: 2, dateMs: 1 }, { requestedMs: 1 }, true],
  ['was made later', { requestedMs: 1, dateMs: 2_000 }, { requestedMs: 2, dateMs: 1_000 }, true],
  ['was made in the same second', { requestedMs: 2, dateMs: 1 }, { requestedMs: 1, dateMs: 1 }, true],
  ['was made earlier', { requestedMs: 2, dateMs: 1_000 }, { requestedMs: 1, dateMs: 2_000 }, false],
])('of two answers that is the newer one which %s', (_what, one, other, isFirst) => {
  const [first, second] = [one, other].map(times => ({ dateMs: undefined, ...times }));
  const isNewer = (dating = first, than = second) => {
    const held = { answer: { status: 200 }, receivedMs: 100, fields: [] } as unknown as ReadableRecord;
    if (dating) rememberDating(held, dating);
    return than && overtakes(held, than);
  };
  expect([isNewer(), isNewer(second, first)]).toEqual([isFirst, !isFirst]);
});

it('a date that is still to come is taken for the second of the arrival', () => {
  const head = readWebHead({
    status: 200,
    fields: [{ name: 'date', value: new Date(9_000_000).toUTCString(), store: false }],
  });
  const asked = { epoch: 0, barrier: 0, isUnsettled: false, heldTags: [], groupSlots: () => 0 };
  const made = madeOf(head, { ...asked, requestedMs: 1, receivedMs: 5_500 });
  expect(made).toEqual({ requestedMs: 1, heldTags: [], dateMs: 5_000 });
});
