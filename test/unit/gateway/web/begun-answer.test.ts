import { describe, expect, it } from 'vitest';
import { WebModel } from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };
const said = (fields: Record<string, string>, more = {}) => ({
  status: 200,
  fields,
  body: 'page',
  headMs: 300,
  bodyMs: 9_000,
  ...more,
});

it('who is told by a begun answer that it has the page gets no fields of the content', async () => {
  const model = new WebModel(() => said({ ...forAll, etag: 'W/"1"', 'content-type': 'text/html' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(1_000);
  const reader = model.read({ method: 'GET', quota: 'b', fields: { 'if-none-match': 'W/"1"' } });
  await model.pass(100);
  expect(reader.result?.status).toBe(304);
  expect(reader.result?.fields.map(({ name }) => name)).not.toContain('content-type');
});

it('a begun 404 is told as such to a HEAD with a condition that holds', async () => {
  const model = new WebModel(() => said({ ...forAll, etag: '"1"' }, { status: 404 }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(1_000);
  const head = model.read({ method: 'HEAD', quota: 'b', fields: { 'if-none-match': '"1"' } });
  await model.pass(100);
  expect(head.result?.status).toBe(404);
});

it('who came before the head is told the age of the answer when it is given', async () => {
  const model = new WebModel(() => said({ ...forAll, age: '10' }, { headMs: 1_900 }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  const head = model.read({ method: 'HEAD', quota: 'b', fields: {} });
  await model.pass(2_000);
  expect(head.result?.fields).toContainEqual({ name: 'age', value: '11', store: false });
});

it('what lands of before a purge leaves the question that was asked after it for others to join', async () => {
  const model = new WebModel(() => ({ status: 200, fields: forAll, body: 'page', headMs: 1_000, bodyMs: 0 }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(500);
  model.purge();
  model.read({ method: 'GET', quota: 'b', fields: {} });
  await model.pass(600);
  model.read({ method: 'GET', quota: 'c', fields: {} });
  await model.pass(2_000);
  expect(model.origin.questions.map(({ fromMs }) => fromMs)).toEqual([0, 500]);
});

/** A page whose body takes long, of which a HEAD or a condition can be answered in between. */
const slowly = (fields: Record<string, string>) => (method: string, sent: Readonly<Record<string, string>>) =>
  sent['if-none-match'] === fields.etag
    ? said(fields, { status: 304, bodyMs: 0 })
    : said(fields, { bodyMs: method === 'HEAD' ? 0 : 9_000 });

describe.each([
  ['HEAD', {}, {}, 200],
  ['HEAD', {}, { rsc: '1' }, 200],
  ['HEAD', {}, { range: 'bytes=0-1' }, 200],
  ['GET', { 'if-none-match': 'W/"1"' }, {}, 304],
  ['GET', { 'if-none-match': 'W/"1"' }, { 'sec-purpose': 'prefetch' }, 304],
] as const)(
  'many who come after the head of a page, by %s %j, most of them with %j',
  (method, sent, own, status) => {
    const page = { etag: 'W/"1"' };

    /** @param then is done between the head and them */
    async function come(
      model: WebModel,
      then: () => Promise<void> | void,
      fields: Record<string, string> = {},
    ) {
      model.read({ method: 'GET', quota: 'first', fields: {} });
      await model.pass(400);
      await then();
      const came = Array.from({ length: 60 }, (_, number) => {
        const all = { ...sent, ...fields, 'user-agent': String(number), ...(number > 0 && own) };
        return model.read({ method, quota: `a${number}`, fields: all });
      });
      await model.pass(500);
      expect(came.map(({ result }) => result?.status)).toEqual(Array(60).fill(status));
      const reports = new Set(came.map(({ result }) => result?.report.cacheStatus));
      return { questions: model.origin.questions.length, reports };
    }

    it('are told of it where that would be a hit', async () => {
      const model = new WebModel(slowly({ ...page, 'cache-control': 'max-age=60' }));
      const { questions, reports } = await come(model, () => {});
      expect([questions, ...reports]).toEqual([1, expect.stringMatching(/; stored; collapsed$/)]);
    });

    it.each([
      ['has to be confirmed', 'no-cache', () => {}, {}],
      ['is stale by then', 'max-age=1', (model: WebModel) => model.pass(1_500), {}],
      ['is purged by then', 'max-age=60', (model: WebModel) => model.purge(), {}],
      ['is not what they want', 'max-age=60', () => {}, { 'cache-control': 'no-cache' }],
    ])(
      'share one question where it %s, and what is answered to that is kept for nobody',
      async (_, control, then, more) => {
        const model = new WebModel(slowly({ ...page, 'cache-control': control }));
        const { questions, reports } = await come(model, () => then(model), more);
        expect(questions).toBe(2);
        for (const report of reports) expect(report).not.toContain('stored');
      },
    );
  },
);

it('who demands something of the page by HEAD does not wait for its body', async () => {
  const model = new WebModel(slowly({ ...forAll, etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(400);
  const head = model.read({ method: 'HEAD', quota: 'b', fields: { 'if-match': '*' } });
  await model.pass(400);
  expect([head.result?.status, head.result?.report.cacheStatus]).toEqual([
    200,
    expect.not.stringContaining('collapsed'),
  ]);
});

it('who has the page, and wants a range of any other, is told so at once', async () => {
  const model = new WebModel(slowly({ ...forAll, etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(400);
  const range = { range: 'bytes=0-1', 'if-none-match': 'W/"1"' };
  const reader = model.read({ method: 'GET', quota: 'b', fields: range });
  await model.pass(10);
  expect(reader.result?.status).toBe(304);
});

it('what a HEAD with credentials is answered is told nobody else', async () => {
  const model = new WebModel((_, sent) =>
    said({ ...forAll, 'x-for': sent.authorization ?? 'all' }, { bodyMs: 0 }),
  );
  model.read({ method: 'HEAD', quota: 'a', fields: { authorization: 'Bearer a' } });
  const others = ['b', 'c'].map(quota => model.read({ method: 'HEAD', quota, fields: {} }));
  await model.pass(2_000);
  for (const { result } of others)
    expect(result?.fields).toContainEqual({ name: 'x-for', value: 'all', store: false });
});

it('a head of before a purge is told nobody who waits for it', async () => {
  const model = new WebModel(() => said(forAll, { bodyMs: 0 }));
  model.read({ method: 'HEAD', quota: 'a', fields: {} });
  model.read({ method: 'HEAD', quota: 'b', fields: {} });
  await model.pass(100);
  model.purge();
  await model.pass(1_000);
  expect(model.origin.questions.map(({ method, fromMs }) => [method, fromMs])).toEqual([
    ['HEAD', 0],
    ['GET', 300],
  ]);
});

it('the whole that is asked for those whom a 304 tells nothing is given up once they have left', async () => {
  const model = new WebModel(slowly({ ...forAll, etag: '"1"' }));
  model.read({ method: 'HEAD', quota: 'a', fields: { 'if-none-match': '"1"' } });
  const heads = ['b', 'c'].map(quota => model.read({ method: 'HEAD', quota, fields: {} }));
  await model.pass(400);
  for (const head of heads) head.leave();
  await model.pass(50);
  expect(model.origin.questions.map(({ method, untilMs }) => [method, untilMs])).toEqual([
    ['HEAD', 300],
    ['GET', 400],
  ]);
});

it('who demands something else than what begins is told nothing of it', async () => {
  const model = new WebModel(slowly({ ...forAll, etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  const head = model.read({ method: 'HEAD', quota: 'b', fields: { 'if-match': '"2"' } });
  await model.pass(1_000);
  expect(head.result).toBeUndefined();
});

it('an error that may be kept, but not in the place of the page, is told nobody else', async () => {
  const page = { 'cache-control': 'max-age=1', etag: 'W/"1"' };
  const model = new WebModel(() => said(page, { bodyMs: 0 }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(2_000);
  model.origin.answer = () => said(forAll, { status: 503, bodyMs: 0 });
  for (const quota of ['b', 'c']) model.read({ method: 'HEAD', quota, fields: {} });
  await model.pass(2_000);
  expect(model.origin.questions.map(({ method }) => method)).toEqual(['GET', 'HEAD', 'HEAD']);
});
