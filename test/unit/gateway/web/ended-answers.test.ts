import { expect, it } from 'vitest';
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
      find: () => ({ answer: { status: 200 }, entityTag: '"1"' }),
      ...{ isStillAsked: () => true, isOvertaken: () => isOvertaken },
      ...{ outdate: tell('outdate'), withdraw: tell('withdraw'), forget: tell('forget') },
    };
    const ended = new EndedAnswers(records as never, () => 0);
    const head = { status, vary: [], fields: [{ name: 'etag', value: '"2"', store: false }] };
    ended.byUnkept({ policy: {} } as never, head as never, {} as never);
    expect(told).toEqual(expected);
  },
);
