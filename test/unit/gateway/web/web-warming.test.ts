import { expect, it } from 'vitest';
import { pageAnswer, WebModel } from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };

const warmed = { kind: 'warmed', bytes: 4 };

function client(model: WebModel, fields: Record<string, string> = {}) {
  return model.read({ method: 'GET', quota: 'a', fields: { 'user-agent': 'browser', ...fields } });
}

it('waits for the question of a client, whose answer is for all', async () => {
  const model = new WebModel(() => pageAnswer(forAll));
  client(model);
  const run = model.warm();
  await model.pass(1_000);
  expect(await run).toEqual(warmed);
  expect(model.origin.questions).toHaveLength(1);
});

it('asks in nobody’s name where the answer of the client for which it waited is its own', async () => {
  const model = new WebModel((_method, { cookie }) =>
    pageAnswer(cookie === undefined ? forAll : { 'cache-control': 'private, max-age=60' }),
  );
  client(model, { cookie: 'user=1' });
  const run = model.warm();
  await model.pass(1_000);
  expect(await run).toEqual(warmed);
  const [first, second, ...more] = model.origin.questions;
  expect([second?.fromMs, more]).toEqual([first?.untilMs, []]);
  expect([second?.fields, second?.client]).toEqual([
    { via: '1.1 tidegate', 'user-agent': 'tidegate', accept: '*/*' },
    undefined,
  ]);
});

it('asks in nobody’s name where the client for which it waited has got another variant', async () => {
  const model = new WebModel(() => pageAnswer({ ...forAll, vary: 'user-agent' }));
  client(model);
  const run = model.warm();
  await model.pass(1_000);
  expect(await run).toEqual(warmed);
  expect(model.origin.questions).toHaveLength(2);
});

it('asks once for the same page however often that is named, and is told the same', async () => {
  const model = new WebModel(() => pageAnswer({ 'cache-control': 'no-store' }));
  const runs = [model.warm(), model.warm(), model.warm()];
  await model.pass(1_000);
  for (const run of runs) expect(await run).toEqual({ kind: 'uncached', reason: 'no-store' });
  expect(model.origin.questions).toHaveLength(1);
});

it('lets a client wait for its question, which goes on for that client when nobody wants the rest', async () => {
  const model = new WebModel(() => pageAnswer(forAll));
  const leaving = new AbortController();
  const run = model.warm('/page', leaving.signal);
  await model.pass(100);
  const reader = client(model);
  leaving.abort(new Error('left'));
  expect(await run).toMatchObject({ kind: 'failed' });
  await model.pass(1_000);
  expect([reader.result?.status, model.origin.questions.length]).toEqual([200, 1]);
});

it('leaves a client to its question when nobody wants the page any more', async () => {
  const model = new WebModel(() => pageAnswer(forAll));
  const reader = client(model);
  const leaving = new AbortController();
  const run = model.warm('/page', leaving.signal);
  leaving.abort(new Error('left'));
  await run;
  reader.leave();
  expect(model.origin.open).toEqual([]);
});

it('tells why there is no answer', async () => {
  const model = new WebModel(() => pageAnswer({}, { status: undefined }));
  const run = model.warm();
  await model.pass(11_000);
  expect(await run).toEqual({ kind: 'failed', code: 'TIMEOUT' });
});
