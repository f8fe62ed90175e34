import { expect, it } from 'vitest';
import { formatHttpDate } from '../../../../src/http/http-date.ts';
import { type ModelReader, pageAnswer, WebModel } from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };

it('who names the same old tag as whoever has asked is told nothing by a 200 but the page', async () => {
  const model = new WebModel(() => pageAnswer({ ...forAll, etag: 'W/"2"' }, { bodyMs: 5_000 }));
  const came = ['a', 'b'].map(quota =>
    model.read({ method: 'GET', quota, fields: { 'if-none-match': 'W/"1"' } }),
  );
  await model.pass(1_000);
  expect(came.map(({ result }) => result?.status)).not.toContain(304);
  await model.pass(9_000);
  expect(came.map(({ result }) => result?.status)).toEqual([200, 200]);
});

it('a head without Vary is told nobody who selects otherwise of what is held, whatever has begun beside it', async () => {
  const anew = { 'cache-control': 'max-age=0, must-revalidate' };
  const page = (user: string, version: number, vary = {}) =>
    pageAnswer({ ...anew, ...vary, etag: `"${user}${version}"`, 'x-user': user });
  const model = new WebModel((_, { cookie = '' }) => page(cookie, 1, { vary: 'cookie' }));
  for (const cookie of ['a', 'b']) {
    model.read({ method: 'GET', quota: cookie, fields: { cookie } });
    await model.pass(1_000);
  }
  model.origin.answer = (method, { cookie = '' }) =>
    method === 'HEAD' ? page(cookie, 2) : pageAnswer({ ...anew, etag: 'W/"all"' }, { bodyMs: 9_000 });
  model.read({ method: 'GET', quota: 'c', fields: {} });
  await model.pass(1_000);
  const heads: ModelReader[] = [];
  for (const cookie of ['a', 'b']) {
    heads.push(model.read({ method: 'HEAD', quota: cookie, fields: { cookie } }));
    await model.pass(100);
  }
  await model.pass(3_000);
  const users = heads.map(({ result }) => result?.fields.find(({ name }) => name === 'x-user')?.value);
  expect(users).toEqual(['a', 'b']);
});

it('the same by HEAD', async () => {
  const model = new WebModel(() => pageAnswer({ ...forAll, etag: 'W/"2"' }));
  const came = ['a', 'b'].map(quota =>
    model.read({ method: 'HEAD', quota, fields: { 'if-none-match': 'W/"1"' } }),
  );
  await model.pass(9_000);
  expect(came.map(({ result }) => result?.status)).toEqual([200, 200]);
});

it('a 304 that nobody has asked for is told nobody else who has asked for none', async () => {
  const model = new WebModel(() => pageAnswer(forAll, { status: 304 }));
  for (const quota of ['a', 'b', 'c']) model.read({ method: 'HEAD', quota, fields: {} });
  await model.pass(310);
  expect(model.origin.questions.length).toBeGreaterThan(1);
});

it('a 304 without validators is told nobody who has an older page', async () => {
  const [older, newer] = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 02 Jan 1970 00:00:00 GMT'];
  const model = new WebModel((_, sent) =>
    sent['if-modified-since'] === newer
      ? pageAnswer(forAll, { status: 304 })
      : pageAnswer({ ...forAll, 'last-modified': newer }),
  );
  const [, reader] = [newer, older].map((since, number) =>
    model.read({ method: 'GET', quota: `a${number}`, fields: { 'if-modified-since': since } }),
  );
  await model.pass(9_000);
  expect(reader?.result?.status).toBe(200);
});

it('a head that is told before its body is reported as what the reader waits for: what was stale', async () => {
  const model = new WebModel(() => pageAnswer({ 'cache-control': 'max-age=1', etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(5_000);
  model.origin.answer = () => pageAnswer({ ...forAll, etag: 'W/"2"' }, { bodyMs: 5_000 });
  model.read({ method: 'GET', quota: 'b', fields: {} });
  await model.pass(100);
  const head = model.read({ method: 'HEAD', quota: 'c', fields: {} });
  await model.pass(1_000);
  expect(head.result?.report.cacheStatus).toContain('fwd=stale');
});

it('a page that is too long to be kept is told nobody else by its head', async () => {
  const model = new WebModel(
    method => pageAnswer({ ...forAll, 'content-length': '4' }, { bodyMs: method === 'HEAD' ? 0 : 5_000 }),
    { maxObjectSizeBytes: 2 },
  );
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(100);
  model.read({ method: 'HEAD', quota: 'b', fields: {} });
  await model.pass(2_000);
  expect(model.origin.questions.map(({ method }) => method)).toEqual(['GET', 'HEAD']);
});

it('where the body of the first gets stuck, and what is asked beside gets no answer, each asks for itself once patience is over', async () => {
  let asked = 0;
  const model = new WebModel(() =>
    asked++ === 0 ? pageAnswer(forAll, { bodyMs: 9_900 }) : pageAnswer({}, { status: undefined }),
  );
  model.read({ method: 'GET', quota: 'first', fields: {} });
  const readers = ['b', 'c'].map(quota =>
    model.read({ method: 'GET', quota, fields: { 'user-agent': quota } }),
  );
  await model.pass(9_500);
  expect(readers.map(({ result }) => result)).toEqual([undefined, undefined]);
  expect(model.origin.questions.map(({ fromMs, fields }) => [fromMs, fields['user-agent']]).slice(3)).toEqual(
    [
      [8_000, 'b'],
      [8_000, 'c'],
    ],
  );
});

const anew = { 'cache-control': 'max-age=0, must-revalidate' };
const userOf = ({ result }: ModelReader) => result?.fields.find(({ name }) => name === 'x-user')?.value;
const less: [string, Record<string, string>][] = [
  ['no Vary', {}],
  ['a Vary of less', { vary: 'accept-encoding' }],
  ['an empty Vary', { vary: '' }],
];

/** Two readers at once, each of whom selects an answer of its own. */
function headsOf(model: WebModel): ModelReader[] {
  return ['c', 'd'].map(user => model.read({ method: 'HEAD', quota: user, fields: { 'x-select': user } }));
}

it.each(less)(
  'a head with %s is told nobody who selects otherwise of any answer that has begun',
  async (_, vary) => {
    const model = new WebModel((method, { 'x-select': user = '' }) => {
      if (method === 'HEAD') return pageAnswer({ ...anew, ...vary, etag: `W/"${user}"`, 'x-user': user });
      return pageAnswer(
        { ...anew, etag: 'W/"1"', ...(user === 'a' && { vary: 'x-select' }) },
        { bodyMs: 9_000 },
      );
    });
    for (const user of ['a', 'b']) {
      model.read({ method: 'GET', quota: user, fields: { 'x-select': user } });
      await model.pass(400);
    }
    const heads = headsOf(model);
    await model.pass(3_000);
    expect(heads.map(userOf)).toEqual(['c', 'd']);
  },
);

it.each([
  ['that of who asked first', 4_000],
  ['that of a hedge', 300],
])('nor whatever else is under way in the same question, where %s says Vary', async (_, headMs) => {
  const model = new WebModel((method, { 'x-select': user = '' }) => {
    const says = { ...anew, etag: `W/"${user}"`, 'x-user': user };
    if (method === 'HEAD') return pageAnswer(says);
    if (user === 'a')
      return pageAnswer(headMs > 300 ? { ...says, vary: 'x-select' } : says, {
        headMs: 4_000,
        bodyMs: 9_000,
      });
    return pageAnswer(headMs > 300 ? says : { ...says, vary: 'x-select' }, { bodyMs: 9_000 });
  });
  for (const user of ['a', 'b']) model.read({ method: 'GET', quota: user, fields: { 'x-select': user } });
  await model.pass(4_500);
  expect(model.origin.open).toHaveLength(2);
  const heads = headsOf(model);
  await model.pass(1_000);
  expect(heads.map(userOf)).toEqual(['c', 'd']);
});

it.each(less)('nor one with %s who selects otherwise of what is held', async (_, vary) => {
  const model = new WebModel(() => pageAnswer({ ...anew, etag: 'W/"1"', vary: 'x-select' }));
  model.read({ method: 'GET', quota: 'a', fields: { 'x-select': 'a' } });
  await model.pass(1_000);
  model.origin.answer = (_method, { 'x-select': user = '' }) =>
    pageAnswer({ ...anew, ...vary, etag: `W/"${user}"`, 'x-user': user });
  const heads = headsOf(model);
  await model.pass(3_000);
  expect(heads.map(userOf)).toEqual(['c', 'd']);
});

it('nobody who was given a later answer is told the head of an earlier one', async () => {
  const model = new WebModel(() => pageAnswer({}));
  const page = (version: number, ageMs: number, control: string, bodyMs: number) =>
    pageAnswer(
      {
        ...{ 'cache-control': control, etag: `W/"${version}"` },
        date: formatHttpDate(model.clock.nowMs() - ageMs),
      },
      { bodyMs },
    );
  model.origin.answer = () => page(1, 5_000, 'max-age=60', 9_000);
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(1_000);
  model.origin.answer = () => page(2, 0, 'max-age=0', 0);
  model.read({ method: 'GET', quota: 'b', fields: { 'cache-control': 'no-cache', 'if-match': '"2"' } });
  await model.pass(1_000);
  const later = [
    model.read({ method: 'HEAD', quota: 'b', fields: {} }),
    model.read({ method: 'GET', quota: 'b', fields: { 'if-none-match': 'W/"1"' } }),
  ];
  await model.pass(3_000);
  const tags = later.map(({ result }) => result?.fields.find(({ name }) => name === 'etag')?.value);
  expect(tags).toEqual(['W/"2"', 'W/"2"']);
});

it('what HEAD is answered with that is older than what has come meanwhile leaves that a hit', async () => {
  const model = new WebModel(() => pageAnswer({}));
  model.origin.answer = method =>
    pageAnswer(
      {
        ...{ 'cache-control': 'max-age=60', etag: method === 'HEAD' ? 'W/"1"' : 'W/"2"' },
        date: formatHttpDate(model.clock.nowMs() - (method === 'HEAD' ? 5_000 : 0)),
      },
      { headMs: method === 'HEAD' ? 1_500 : 300 },
    );
  const first = model.read({ method: 'HEAD', quota: 'a', fields: {} });
  await model.pass(100);
  model.read({ method: 'GET', quota: 'b', fields: { 'user-agent': 'b' } });
  await model.pass(3_000);
  expect(first.result?.status).toBe(200);
  const after = model.read({ method: 'GET', quota: 'c', fields: {} });
  await model.pass(10);
  expect(after.result?.outcome?.how).toBe('hit');
});
