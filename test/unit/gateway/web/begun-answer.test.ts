import { describe, expect, it, vi } from 'vitest';
import { CollectedBody } from '../../../../src/gateway/web/collected-body.ts';
import { type ModelAnswer, pageAnswer, WebModel } from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };
/** A page whose body takes a while. */
const said = (fields: Record<string, string>, different: Partial<ModelAnswer> = {}) =>
  pageAnswer(fields, { bodyMs: 9_000, ...different });

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

it.each([
  ['is told of it where that would be a hit', 'max-age=60', ['GET']],
  ['asks where it would not', 'no-cache', ['GET', 'HEAD']],
])('who demands by HEAD what begins %s, and waits for no body', async (_, control, questions) => {
  const model = new WebModel(slowly({ 'cache-control': control, etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(400);
  const head = model.read({ method: 'HEAD', quota: 'b', fields: { 'if-match': '*' } });
  await model.pass(400);
  expect(head.result?.status).toBe(200);
  expect(model.origin.questions.map(({ method }) => method)).toEqual(questions);
});

describe.each(['HEAD', 'GET'] as const)('who demands something else than what begins, by %s', method => {
  it.each([
    ['before the head', 0, 300],
    ['after it', 400, 400],
  ])('asks at once, where it came %s', async (_, cameMs, askedMs) => {
    const model = new WebModel(slowly({ ...forAll, etag: 'W/"1"' }));
    model.read({ method: 'GET', quota: 'a', fields: {} });
    await model.pass(cameMs);
    model.read({ method, quota: 'b', fields: { 'if-match': '"2"' } });
    await model.pass(1_000);
    expect(model.origin.questions.map(each => [each.method, each.fromMs])).toEqual([
      ['GET', 0],
      [method, askedMs],
    ]);
  });
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

it('who has the page, and wants a range of any other, waits for what begins where that is no hit', async () => {
  const model = new WebModel(slowly({ 'cache-control': 'no-cache', etag: 'W/"1"' }));
  model.read({ method: 'GET', quota: 'a', fields: {} });
  await model.pass(400);
  const came = ['b', 'c', 'd'].map(quota =>
    model.read({ method: 'GET', quota, fields: { range: 'bytes=0-1', 'if-none-match': 'W/"1"' } }),
  );
  await model.pass(1_000);
  expect(came.map(({ result }) => result)).toEqual([undefined, undefined, undefined]);
  await model.pass(9_000);
  expect(came.every(({ result }) => result !== undefined)).toBe(true);
  expect(model.origin.questions).toHaveLength(1);
});

describe('a 304 that leaves Vary out', () => {
  const varying = { ...forAll, vary: 'x-a' };
  const answer = (_: string, sent: Readonly<Record<string, string>>) => {
    const tag = `W/"${sent['x-a']}"`;
    const isHeld = (sent['if-none-match'] ?? '').includes(tag) || sent['if-modified-since'] === 'today';
    return isHeld
      ? said({ ...forAll, etag: tag }, { status: 304, bodyMs: 0 })
      : said({ ...varying, etag: tag }, { bodyMs: 9_000 });
  };
  const condition = { 'if-none-match': 'W/"1", W/"2"' };

  it('is told nobody who has sent something else, where nothing is known of the page', async () => {
    const model = new WebModel(answer);
    const came = ['1', '2', '1', '2'].map((value, number) =>
      model.read({ method: 'GET', quota: `a${number}`, fields: { 'x-a': value, ...condition } }),
    );
    await model.pass(3_000);
    for (const [number, { result }] of came.entries())
      expect(result?.fields).toContainEqual({ name: 'etag', value: `W/"${1 + (number % 2)}"`, store: false });
  });

  it('is told those who select the same by what has begun', async () => {
    const model = new WebModel(answer);
    model.read({ method: 'GET', quota: 'first', fields: { 'x-a': '1', 'cache-control': 'no-cache' } });
    await model.pass(400);
    const asked = (value: string, number: number) => ({
      'x-a': value,
      'user-agent': String(number),
      'cache-control': 'no-cache',
      ...condition,
    });
    for (let number = 0; number < 20; number++)
      model.read({ method: 'GET', quota: `a${number}`, fields: asked('1', number) });
    await model.pass(1_000);
    expect(model.origin.questions).toHaveLength(2);
  });
});

const longAgo = new Date(0).toUTCString();

describe.each([
  ['without a validator', { 'if-none-match': 'W/"1"' }, {}],
  ['with another validator than was named', { 'if-modified-since': longAgo }, { etag: 'W/"1"' }],
] as const)('a 304 %s', (_, condition, told) => {
  const answer = (__: string, sent: Readonly<Record<string, string>>) =>
    (sent['if-none-match'] ?? sent['if-modified-since'])
      ? said({ 'cache-control': 'no-cache', vary: 'x-a', ...told }, { status: 304, bodyMs: 0 })
      : said(
          { 'cache-control': 'no-cache', vary: 'x-a', etag: 'W/"1"', 'last-modified': longAgo },
          { bodyMs: 9_000 },
        );

  it.each([0, 1])(
    'answers all who have sent the same condition, beside %d bodies that have begun',
    async bodies => {
      const model = new WebModel(answer);
      if (bodies > 0) model.read({ method: 'GET', quota: 'first', fields: {} });
      await model.pass(400);
      const came = Array.from({ length: 60 }, (__, number) =>
        model.read({
          method: 'GET',
          quota: `a${number}`,
          fields: { ...condition, 'user-agent': String(number) },
        }),
      );
      await model.pass(1_000);
      expect(came.map(({ result }) => result?.status)).toEqual(Array(60).fill(304));
      expect(model.origin.questions).toHaveLength(1 + bodies);
    },
  );
});

it('that there is nothing is told all by HEAD who have sent the very same, and nobody else', async () => {
  const model = new WebModel(() => said({ vary: 'x-a' }, { status: 404, bodyMs: 0 }));
  const alike = Array.from({ length: 20 }, (_, number) =>
    model.read({ method: 'HEAD', quota: `a${number}`, fields: {} }),
  );
  model.read({ method: 'HEAD', quota: 'other', fields: { 'x-key': 'k' } });
  await model.pass(2_000);
  expect(alike.map(({ result }) => result?.status)).toEqual(Array(20).fill(404));
  expect(model.origin.questions.map(({ fields }) => fields['x-key'])).toEqual([undefined, 'k']);
});

it('what could not be kept of a page is told nobody else by HEAD', async () => {
  const model = new WebModel(() => said({ 'cache-control': 'no-cache' }, { bodyMs: 0 }));
  for (let number = 0; number < 20; number++) model.read({ method: 'HEAD', quota: `a${number}`, fields: {} });
  await model.pass(2_000);
  expect(model.origin.questions).toHaveLength(20);
});

it('HEAD that leaves validators out does not tell that each gets an answer of its own', async () => {
  const page = { 'cache-control': 'no-cache' };
  const model = new WebModel(method =>
    said(method === 'HEAD' ? page : { ...page, etag: 'W/"1"' }, { bodyMs: 0 }),
  );
  for (let number = 0; number < 12; number++) {
    model.read({ method: 'HEAD', quota: `h${number}`, fields: {} });
    await model.pass(400);
  }
  for (let number = 0; number < 40; number++)
    model.read({ method: 'GET', quota: `a${number}`, fields: { 'user-agent': String(number) } });
  await model.pass(1_000);
  expect(model.origin.questions.filter(({ method }) => method === 'GET')).toHaveLength(1);
});

it('who needs no more than a head gets that of what is asked for beside a question that hangs', async () => {
  const model = new WebModel(() => said({ ...forAll }, { status: undefined }));
  model.read({ method: 'GET', quota: 'hangs', fields: { 'x-session': 'locked' } });
  await model.pass(100);
  model.origin.answer = slowly({ ...forAll, etag: 'W/"1"' });
  const heads = ['b', 'c'].map(quota => model.read({ method: 'HEAD', quota, fields: {} }));
  await model.pass(3_000);
  expect(heads.map(({ result }) => result?.status)).toEqual([200, 200]);
  expect(model.origin.questions.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

describe('a body that is not kept to its end, of which others were told the head', () => {
  const noCache = { 'cache-control': 'no-cache' };

  /** A page of version 1 that is fresh, and a GET that asks for it anew. */
  async function renewing(etag: string, body: Partial<ModelAnswer> = { bodyMs: 12_000 }) {
    const policy = { maxObjectSizeBytes: 6_000_000 };
    const model = new WebModel(() => said({ ...forAll, etag: 'W/"1"' }, { bodyMs: 0 }), policy);
    model.read({ method: 'GET', quota: 'a', fields: {} });
    await model.pass(1_000);
    model.origin.answer = () => said({ ...forAll, etag }, body);
    const first = model.read({ method: 'GET', quota: 'b', fields: noCache });
    await model.pass(100);
    const head = model.read({ method: 'HEAD', quota: 'c', fields: noCache });
    await model.pass(1_000);
    expect(head.result?.fields).toContainEqual({ name: 'etag', value: etag, store: false });
    model.origin.answer = () => said({ ...forAll, etag }, { bodyMs: 0 });
    const next = async () => {
      const reader = model.read({ method: 'GET', quota: 'd', fields: {} });
      await model.pass(1_000);
      return [
        reader.result?.fields.find(({ name }) => name === 'etag')?.value,
        reader.result?.outcome?.how === 'hit',
      ];
    };
    return { model, first, next };
  }

  it('has what is held confirmed, where it is another one (RFC 9111 §4.3.5)', async () => {
    const { model, next } = await renewing('W/"2"');
    await model.pass(12_000);
    expect(await next()).toEqual(['W/"2"', false]);
  });

  it('the same where it is longer than what is kept', async () => {
    const body = { body: 'x'.repeat(7_000_000), bodyMs: 2_000, isUnannounced: true };
    const { model, next } = await renewing('W/"2"', body);
    await model.pass(2_000);
    expect(await next()).toEqual(['W/"2"', false]);
  });

  it('the same where it finds no room in the cache', async () => {
    const { model, next } = await renewing('W/"2"', { bodyMs: 2_000 });
    vi.spyOn(CollectedBody.prototype, 'writeTo').mockReturnValueOnce(false);
    await model.pass(2_000);
    expect(await next()).toEqual(['W/"2"', false]);
  });

  it('the same where who has asked for it leaves', async () => {
    const { first, next } = await renewing('W/"2"');
    first.leave();
    expect(await next()).toEqual(['W/"2"', false]);
  });

  it('leaves a hit what is held, where it is the same', async () => {
    const { model, next } = await renewing('W/"1"');
    await model.pass(12_000);
    expect(await next()).toEqual(['W/"1"', true]);
  });

  it('says nothing of what was stored after a purge', async () => {
    const { model, next } = await renewing('W/"2"');
    model.purge();
    model.origin.answer = () => said({ ...forAll, etag: 'W/"3"' }, { bodyMs: 0 });
    model.read({ method: 'GET', quota: 'e', fields: {} });
    await model.pass(12_000);
    expect(await next()).toEqual(['W/"3"', true]);
  });
});

describe('what begins beside a question that hangs', () => {
  const asked = async (second: Partial<ModelAnswer>) => {
    const model = new WebModel(() => said(forAll, { status: undefined }));
    model.read({ method: 'GET', quota: 'hangs', fields: { 'x-session': 'locked' } });
    await model.pass(100);
    model.origin.answer = () => said({ ...forAll, etag: 'W/"1"' }, second);
    const readers = ['b', 'c'].map(quota => model.read({ method: 'GET', quota, fields: {} }));
    return { model, readers, results: () => readers.map(({ result }) => result?.status ?? result?.error) };
  };

  it('is waited for, though the first has got no answer in time', async () => {
    const { model, results } = await asked({ bodyMs: 9_500 });
    await model.pass(11_000);
    expect(results()).toEqual([undefined, undefined]);
    await model.pass(3_000);
    expect(results()).toEqual([200, 200]);
    expect(model.origin.open).toEqual([]);
  });

  it.each([
    ['fails', { status: 503, fields: {} }],
    ['is answered for itself', { fields: { 'cache-control': 'private' } }],
  ])('is waited for, though the first %s meanwhile', async (_, different) => {
    const model = new WebModel(() => said(forAll, { headMs: 3_000, bodyMs: 0, ...different }));
    model.read({ method: 'GET', quota: 'hangs', fields: { 'x-session': 'locked' } });
    await model.pass(100);
    model.origin.answer = () => said({ ...forAll, etag: 'W/"1"' }, { bodyMs: 5_000 });
    const came = Array.from({ length: 30 }, (__, number) =>
      model.read({ method: 'GET', quota: `a${number}`, fields: { 'user-agent': String(number) } }),
    );
    await model.pass(9_000);
    expect(came.map(({ result }) => result?.status)).toEqual(Array(30).fill(200));
    // a body of which nothing comes for a while is asked for once more
    expect(model.origin.questions.length).toBeLessThanOrEqual(3);
  });

  it('is not waited for where the first gets what is for all', async () => {
    const model = new WebModel(() => said(forAll, { headMs: 4_000, bodyMs: 0 }));
    model.read({ method: 'GET', quota: 'hangs', fields: { 'x-session': 'locked' } });
    await model.pass(100);
    model.origin.answer = () => said({ ...forAll, etag: 'W/"1"' }, { bodyMs: 9_500 });
    const reader = model.read({ method: 'GET', quota: 'b', fields: {} });
    await model.pass(4_100);
    expect(reader.result?.status).toBe(200);
  });

  it('is told nobody who comes after it has begun, and after what had begun before it has broken off', async () => {
    const noCache = { 'cache-control': 'no-cache', etag: 'W/"1"' };
    const model = new WebModel(() => said(noCache, { headMs: 3_000, bodyMs: 9_900 }));
    model.read({ method: 'GET', quota: 'slow', fields: { 'x-session': 'locked' } });
    await model.pass(100);
    model.origin.answer = () => said(noCache, { bodyMs: 12_000 });
    model.read({ method: 'GET', quota: 'b', fields: {} });
    // beside, one begins before the answer of the first, and breaks off
    await model.pass(12_500);
    model.origin.answer = () => said({ ...noCache, etag: 'W/"2"' }, { bodyMs: 0 });
    const head = model.read({ method: 'HEAD', quota: 'd', fields: {} });
    await model.pass(400);
    expect(head.result?.fields).toContainEqual({ name: 'etag', value: 'W/"2"', store: false });
  });

  it('is told at once to who has come later, where what had begun before it breaks off', async () => {
    const model = new WebModel(() => said({ ...forAll, etag: 'W/"1"' }, { bodyMs: 12_500 }));
    model.read({ method: 'GET', quota: 'slow', fields: { 'x-session': 'locked' } });
    await model.pass(100);
    model.origin.answer = () => said({ ...forAll, etag: 'W/"2"' }, { bodyMs: 20_000, isEndless: true });
    model.read({ method: 'GET', quota: 'b', fields: {} });
    await model.pass(8_500);
    const condition = model.read({ method: 'GET', quota: 'd', fields: { 'if-none-match': 'W/"2"' } });
    await model.pass(1_000);
    expect(condition.result).toBeUndefined();
    await model.pass(2_000);
    expect(condition.result?.status).toBe(304);
  });

  it('is told at once to who comes later by HEAD, and is asked for by who demands another', async () => {
    const { model } = await asked({ bodyMs: 9_500 });
    await model.pass(4_000);
    const head = model.read({ method: 'HEAD', quota: 'd', fields: {} });
    const demand = model.read({ method: 'HEAD', quota: 'e', fields: { 'if-match': '"2"' } });
    await model.pass(1_000);
    expect([head.result?.status, demand.result?.status]).toEqual([200, 200]);
  });

  it('keeps nobody waiting who selects another variant', async () => {
    const model = new WebModel(() => said(forAll, { status: undefined }));
    model.read({ method: 'GET', quota: 'hangs', fields: { 'x-session': 'locked', 'x-a': '1' } });
    await model.pass(100);
    model.origin.answer = (_, sent) =>
      said({ ...forAll, vary: 'x-a' }, { bodyMs: sent['x-a'] === '1' ? 9_500 : 0 });
    const read = (value: string, quota: string) =>
      model.read({ method: 'GET', quota, fields: { 'x-a': value } });
    const came = [read('2', 'c'), read('1', 'b'), read('2', 'd')];
    await model.pass(4_000);
    const later = read('2', 'e');
    await model.pass(1_000);
    expect([...came, later].map(({ result }) => result?.status)).toEqual([200, undefined, 200, 200]);
  });

  it.each(['max-age=60', 'max-age=0'])(
    'answers who has waited for it when it has come, though what begins after it is of another variant: %s',
    async control => {
      const vary = { ...forAll, 'cache-control': control, etag: 'W/"1"', vary: 'x-a' };
      const model = new WebModel(() => said(vary, { status: undefined }));
      model.read({ method: 'GET', quota: 'hangs', fields: { 'x-a': '1' } });
      await model.pass(100);
      model.origin.answer = (_, sent) =>
        sent['x-a'] === '2'
          ? said(vary, { headMs: 2_600, bodyMs: 1_500 })
          : said(vary, { headMs: 800, bodyMs: 6_000 });
      const came = ['b', 'c'].map(quota =>
        model.read({ method: 'GET', quota, fields: { 'x-a': '2', 'user-agent': quota } }),
      );
      await model.pass(5_500);
      expect(model.origin.questions.map(({ fields }) => fields['x-a'])).toEqual(['1', '2', undefined]);
      model.origin.answer = () => said(vary, { status: undefined });
      await model.pass(1_000);
      expect(came.map(({ result }) => result?.status)).toEqual([200, 200]);
      expect(model.origin.questions).toHaveLength(3);
    },
  );

  it('is asked for again where it breaks off', async () => {
    const { model, results } = await asked({ bodyMs: 12_000 });
    await model.pass(11_000);
    model.origin.answer = () => said(forAll, { bodyMs: 0 });
    await model.pass(20_000);
    expect(results()).toEqual([200, 200]);
    expect(model.origin.open).toEqual([]);
  });

  it('goes on for nobody no longer than patience, and who comes then asks', async () => {
    const { model, readers } = await asked({ isEndless: true });
    await model.pass(11_000);
    for (const reader of readers) reader.leave();
    await model.pass(10_000);
    expect(model.origin.open).toEqual([]);
    model.origin.answer = () => said(forAll, { bodyMs: 0 });
    const later = model.read({ method: 'GET', quota: 'd', fields: {} });
    await model.pass(500);
    expect(later.result?.status).toBe(200);
  });
});

it('what breaks off beside a question that hangs is told nobody who comes after that', async () => {
  const model = new WebModel(() => said(forAll, { status: undefined }));
  model.read({ method: 'GET', quota: 'hangs', fields: { 'x-session': 'locked' } });
  await model.pass(100);
  model.origin.answer = () => said({ ...forAll, etag: 'W/"1"' }, { isEndless: true });
  const reader = model.read({ method: 'GET', quota: 'b', fields: {} });
  await model.pass(4_000);
  reader.leave();
  await model.pass(4_000);
  const head = model.read({ method: 'HEAD', quota: 'd', fields: {} });
  await model.pass(100);
  expect(model.origin.questions.map(({ untilMs }) => untilMs)).toEqual([undefined, 6_000]);
  expect(head.result).toBeUndefined();
});

it('a part that an origin tells to HEAD is told nobody else', async () => {
  const part = { ...forAll, etag: '"1"', 'content-range': 'bytes 0-1/4' };
  const model = new WebModel((_, { range }) =>
    said(range ? part : forAll, { status: range ? 206 : 200, bodyMs: 0 }),
  );
  model.read({ method: 'HEAD', quota: 'a', fields: { range: 'bytes=0-1' } });
  const whole = model.read({ method: 'HEAD', quota: 'b', fields: {} });
  await model.pass(2_000);
  expect(whole.result?.status).toBe(200);
});

it('that there is nothing is told nobody with a cookie', async () => {
  const model = new WebModel(() =>
    said({ 'cache-control': 'max-age=0', vary: 'x-a' }, { status: 404, bodyMs: 0 }),
  );
  for (const quota of ['a', 'b']) model.read({ method: 'HEAD', quota, fields: { cookie: 'same' } });
  await model.pass(2_000);
  expect(model.origin.questions.length).toBeGreaterThan(1);
});

it('credentials select another answer that may be for all: those who sent some share the question for it', async () => {
  const model = new WebModel(() =>
    said({ 'cache-control': 'public, max-age=60', vary: 'x-a' }, { bodyMs: 0 }),
  );
  model.read({ method: 'GET', quota: 'a', fields: { 'x-a': '1' } });
  for (const quota of ['b', 'c'])
    model.read({ method: 'GET', quota, fields: { 'x-a': '2', authorization: `Bearer ${quota}` } });
  await model.pass(2_000);
  expect(model.origin.questions.map(({ fromMs }) => fromMs)).toEqual([0, 300]);
});

it('that there is nothing for its sender is told nobody else by HEAD', async () => {
  const model = new WebModel(() => said({ 'cache-control': 'private' }, { status: 404, bodyMs: 0 }));
  for (const quota of ['a', 'b', 'c']) model.read({ method: 'HEAD', quota, fields: {} });
  await model.pass(2_000);
  expect(model.origin.questions).toHaveLength(3);
});
