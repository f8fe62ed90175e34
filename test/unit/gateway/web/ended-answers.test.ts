import { expect, it } from 'vitest';
import { ASKED_RANGE } from '../../../../src/gateway/web/asked-range.ts';
import { EndedAnswers } from '../../../../src/gateway/web/ended-answers.ts';
import { pageAnswer, WebModel } from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };

it('a body under another status that breaks off leaves a hit what is fresh', async () => {
  const model = new WebModel(() => pageAnswer({ ...forAll, etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(1_000);
  model.origin.answer = () => pageAnswer({ ...forAll, etag: 'W/"2"' }, { status: 404, bodyMs: 12_000 });
  model.read({ method: 'GET', quota: 'b', fields: { 'cache-control': 'no-cache' } });
  await model.pass(13_000);
  const reader = model.read({ method: 'GET', quota: 'c', fields: {} });
  await model.pass(1_000);
  expect([reader.result?.status, reader.result?.outcome?.how]).toEqual([200, 'hit']);
});

it.each([
  ['HEAD', 0],
  ['GET', 12_000],
] as const)(
  'that it is not there, as %s is answered (with %d ms for a body), withdraws what is stale',
  async (method, bodyMs) => {
    const fields = { 'cache-control': 'max-age=1', etag: 'W/"1"' };
    const model = new WebModel(() => pageAnswer(fields), { staleIfErrorMs: 600_000 });
    model.read({ method: 'GET', quota: 'a', fields: {} });
    await model.pass(5_000);
    model.origin.answer = () => pageAnswer({ ...forAll, etag: 'W/"2"' }, { status: 404, bodyMs });
    model.read({ method, quota: 'b', fields: {} });
    await model.pass(100);
    const other = model.read({ method: 'HEAD', quota: 'c', fields: {} });
    await model.pass(13_000);
    model.origin.answer = () => pageAnswer({}, { status: 503 });
    const last = model.read({ method: 'GET', quota: 'd', fields: {} });
    await model.pass(1_000);
    expect([other.result?.status, last.result?.status]).toEqual([404, 503]);
  },
);

it.each([
  [200, false, ['outdate']],
  [200, true, []],
  [206, false, []],
  [503, false, []],
])(
  'a body under %i that is not kept (overtaken: %j) ends what is held so: %j',
  (status, isOvertaken, expected) => {
    const told: string[] = [];
    const tell = (what: string) => () => void told.push(what);
    const records = {
      find: () => ({
        ...{ answer: { status: 200 }, entityTag: '"1"', fields: [] },
        receivedMs: isOvertaken ? 1_000 : 0,
      }),
      ...{ isStillAsked: () => true, selectorsOf: () => [] },
      ...{ outdate: tell('outdate'), withdraw: tell('withdraw'), forget: tell('forget') },
    };
    const ended = new EndedAnswers(records as never, () => 0);
    const head = { status, vary: [], fields: [{ name: 'etag', value: '"2"', store: false }] };
    ended.byUnkept({ policy: {} } as never, head as never, { requestedMs: 500 } as never);
    expect(told).toEqual(expected);
  },
);

/** What is told to the records while `end` has `held` end, which is stale. */
function toldBy(
  end: (ended: EndedAnswers, held: never) => void,
  { held = true, isStillAsked = true, vary = [] as string[] } = {},
) {
  const told: string[] = [];
  const tell = (what: string) => () => void told.push(what);
  const record = {
    answer: { status: vary.length > 0 ? 206 : 200, vary },
    entityTag: '"1"',
    receivedMs: 0,
    fields: [],
    directives: {},
  };
  const records = {
    find: () => (held ? record : undefined),
    ...{
      isStillAsked: () => isStillAsked,
      selectorsOf: () => [],
      changed: tell('changed'),
    },
    ...{
      outdate: tell('outdate'),
      withdraw: tell('withdraw'),
      forget: tell('forget'),
    },
  };
  end(new EndedAnswers(records as never, () => 0), record as never);
  return told;
}

const headOf = (status: number) =>
  ({
    status,
    vary: [],
    fields: [{ name: 'etag', value: '"2"', store: false }],
  }) as never;
const get = { method: 'GET', policy: {}, isPersonal: false };

it.each([
  [404, [], []],
  [410, [], []],
  [206, [], []],
  [206, [ASKED_RANGE], ['forget']],
  [403, [], ['withdraw']],
])(
  'one of %i that is too long, where what varies by %j is held, ends it so: %j',
  (status, vary, expected) => {
    const end = (ended: EndedAnswers, stale: never) =>
      ended.byTooLong({ read: get, stale } as never, headOf(status));
    expect(toldBy(end, { vary })).toEqual(expected);
  },
);

it('what was asked before a change ends nothing where its body is not kept', () => {
  const end = (ended: EndedAnswers) => ended.byUnkept(get as never, headOf(200), {} as never);
  expect(toldBy(end, { isStillAsked: false })).toEqual([]);
});

it.each([
  [false, 200, true, ['changed']],
  [false, 200, false, []],
  [false, 503, true, []],
  [true, 503, true, []],
  [true, 206, true, []],
  [true, 206, false, ['forget']],
  [true, 404, true, ['withdraw']],
  [true, 405, true, []],
])(
  'an answer to HEAD, where something is held: %j, of %i, for others: %j, ends it so: %j',
  (held, status, isForOthers, expected) => {
    const read = { ...get, method: 'HEAD', sent: [], fields: {} };
    const end = (ended: EndedAnswers) =>
      void ended.byHead({ read, isUnkept: false } as never, headOf(status), {} as never, isForOthers);
    expect(toldBy(end, { held })).toEqual(expected);
  },
);
