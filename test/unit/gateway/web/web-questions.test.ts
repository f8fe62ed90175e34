import { describe, expect, it } from 'vitest';
import { GIVEN_UP, NO_ANSWER } from '../../../../src/backend/store.ts';
import {
  type ModelAnswer,
  type ModelReader,
  type ModelRequest,
  pageAnswer,
  WebModel,
} from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };

/** Readers of as many addresses, who have sent different things. */
function readers(count: number, different: Partial<ModelRequest> = {}): ModelRequest[] {
  return Array.from({ length: count }, (_, number) => ({
    ...{ method: 'GET', quota: `a${number}`, ...different },
    fields: { 'user-agent': `browser ${number}`, ...different.fields },
  }));
}

const users = (count: number, different: Partial<ModelRequest> = {}) =>
  readers(count).map(({ fields, quota }, number) => ({
    ...{ method: 'GET' as const, quota, ...different },
    fields: { ...fields, ...different.fields, cookie: `user=${number}` },
  }));

/** Lets all come at once; how many questions that made, how many at a time, and how long they waited. */
async function ask(model: WebModel, requests: readonly ModelRequest[]) {
  const before = model.origin.questions.length;
  const came = requests.map(request => model.read(request));
  let most = 0;
  for (let turn = 0; turn < 400 && came.some(({ result }) => !result); turn++) {
    most = Math.max(most, model.origin.open.length);
    await model.pass(50);
  }
  const waits = came.map(({ result, askedMs }) => (result?.atMs ?? Number.POSITIVE_INFINITY) - askedMs);
  return { came, waits, most, questions: model.origin.questions.length - before };
}

function get(model: WebModel, quota: string, fields: Record<string, string> = {}): ModelReader {
  return model.read({ method: 'GET', quota, fields });
}

/** When the origin was asked each time. */
const askedAt = (model: WebModel) => model.origin.questions.map(({ fromMs }) => fromMs);

const reports = (came: readonly ModelReader[]) => [
  ...new Set(came.map(({ result }) => result?.report.cacheStatus)),
];

it('is asked for the client that waits, and for none where the client has been answered already', async () => {
  const answer = () => pageAnswer({ 'cache-control': 'max-age=1' });
  const model = new WebModel(answer, { staleWhileRevalidateMs: 60_000 });
  await ask(model, readers(1));
  await model.pass(2_000);
  await ask(model, readers(1));
  await model.pass(1_000);
  expect(model.origin.questions.map(({ client }) => client)).toEqual(['a0', undefined]);
});

describe('readers of a page at the same time', () => {
  it.each([
    ['another variant is held', 'vary-miss', { 'x-a': '2' }, 0],
    ['they want no fresh one', 'request', { 'x-a': '1', 'cache-control': 'no-cache' }, 0],
    ['it is stale', 'stale', { 'x-a': '1' }, 61_000],
    ['nothing is held', 'uri-miss', { 'x-a': '1' }, undefined],
  ])(
    'who share a question are told why they would have asked: %s (RFC 9211 §2.2)',
    async (_, why, sent, afterMs) => {
      const model = new WebModel(() => pageAnswer({ ...forAll, vary: 'x-a' }));
      if (afterMs !== undefined) await ask(model, readers(1, { fields: { 'x-a': '1' } }));
      await model.pass(afterMs ?? 0);
      expect(reports((await ask(model, readers(3, { fields: sent }))).came)).toEqual([
        `tidegate; fwd=${why}; fwd-status=200; stored`,
        `tidegate; fwd=${why}; fwd-status=200; stored; collapsed`,
      ]);
    },
  );

  it('who ask for another variant, and share that again, are told that nothing was held when they came', async () => {
    const model = new WebModel(() => pageAnswer({ ...forAll, vary: 'x-a' }));
    const came = [
      ...readers(1, { fields: { 'x-a': '1' } }),
      ...readers(3, { fields: { 'x-a': '2' } }).slice(1),
    ];
    expect(reports((await ask(model, came)).came)).toEqual([
      'tidegate; fwd=uri-miss; fwd-status=200; stored',
      'tidegate; fwd=uri-miss; fwd-status=200; stored; collapsed',
    ]);
  });

  it('who share a confirmation are told its status (RFC 9211 §2.4)', async () => {
    const model = new WebModel((_, sent) =>
      pageAnswer(
        { 'cache-control': 'max-age=1', etag: '"1"' },
        { status: sent['if-none-match'] ? 304 : 200 },
      ),
    );
    await ask(model, readers(1));
    await model.pass(2_000);
    expect(reports((await ask(model, readers(3))).came)).toEqual([
      'tidegate; fwd=stale; fwd-status=304; stored',
      'tidegate; fwd=stale; fwd-status=304; stored; collapsed',
    ]);
  });

  it('who share a HEAD that confirms what is held are told its status', async () => {
    const model = new WebModel(() => pageAnswer({ 'cache-control': 'max-age=1', etag: 'W/"1"' }));
    await ask(model, readers(1));
    await model.pass(2_000);
    expect(reports((await ask(model, readers(3, { method: 'HEAD' }))).came)).toEqual([
      'tidegate; fwd=stale; fwd-status=200',
      'tidegate; fwd=stale; fwd-status=200; stored; collapsed',
    ]);
  });

  it('ask for themselves eight at a time where the origin fails and nothing is held', async () => {
    const model = new WebModel(() => pageAnswer({}, { status: 503 }));
    const { came, most, questions } = await ask(model, readers(30));
    expect([most, questions]).toEqual([8, 30]);
    expect(reports(came)).toEqual(['tidegate; fwd=uri-miss; fwd-status=503']);
  });

  it.each([404, 410])(
    'are told together that there is nothing (%i) where all have sent the same, and each with a cookie for itself',
    async status => {
      const model = new WebModel(() => pageAnswer({}, { status, bodyMs: 100 }));
      const alike = readers(30).map(request => ({ ...request, fields: {} }));
      const { came, questions, waits } = await ask(model, alike);
      expect([questions, Math.max(...waits)]).toEqual([1, 400]);
      expect(new Set(came.map(({ result }) => result?.status))).toEqual(new Set([status]));
      expect(reports(came)).toEqual([
        `tidegate; fwd=uri-miss; fwd-status=${status}`,
        `tidegate; fwd=uri-miss; fwd-status=${status}; collapsed`,
      ]);
      expect((await ask(model, readers(1))).questions).toBe(1);
      expect((await ask(model, users(30))).questions).toBe(30);
      expect(Math.max(...(await ask(model, users(30))).waits)).toBe(400);
    },
  );

  it.each([
    ['who have sent no key', 2, 2, (number: number) => ({ 'x-api-key': `key ${number}` })],
    ['who are two clients', 2, 2, () => ({})],
    ['who are one', 1, 100, () => ({})],
  ])('are not told what strangers are, that there is nothing: %s', async (_, clients, agents, own) => {
    const model = new WebModel((_method, sent) =>
      sent['user-agent']?.startsWith('stranger') ? pageAnswer({}, { status: 404 }) : pageAnswer({}),
    );
    let turn = 0;
    const stranger = () => {
      turn++;
      const fields = { 'user-agent': `stranger ${turn % agents}` };
      model.read({ method: 'GET', quota: `s${turn % clients}`, fields });
    };
    for (const _connection of [1, 2, 3]) stranger();
    const came = readers(10).map((request, number) =>
      model.read({ ...request, fields: { ...request.fields, ...own(number) } }),
    );
    for (let left = 200; left > 0; left--) {
      if (left % 3 === 0) stranger();
      await model.pass(50);
    }
    expect(came.map(({ result }) => result?.status)).toEqual(came.map(() => 200));
  });

  it('get what another in line has got that is for all', async () => {
    let failing = 4;
    const model = new WebModel(() => (failing-- > 0 ? pageAnswer({}, { status: 503 }) : pageAnswer(forAll)));
    const { questions } = await ask(model, readers(30));
    expect(questions).toBe(3 + 8 + 1);
  });

  it('ask no more than they must where nothing is said of them for longer than they are patient', async () => {
    const model = new WebModel(() => pageAnswer({}, { status: 503, headMs: 3_000 }));
    const { waits } = await ask(model, readers(30));
    // the first answer, the patience in line, and its own
    expect(Math.max(...waits)).toBeLessThanOrEqual(3_000 + 2_000 + 3_000);
  });

  it('have patience for all questions that they wait for together', async () => {
    const model = new WebModel(() => pageAnswer({}, { status: 503, headMs: 1_500 }));
    for (const request of readers(10)) model.read(request);
    await model.pass(3_000);
    // two that were shared, and one for each that has not been answered
    expect(model.origin.questions.map(({ fromMs }) => fromMs)).toEqual([0, 1_500, ...Array(8).fill(3_000)]);
  });

  it('ask for themselves at once where each has sent credentials', async () => {
    const model = new WebModel(() => pageAnswer(forAll));
    const came = readers(10).map(request => ({
      ...request,
      fields: { ...request.fields, authorization: `Bearer ${request.quota}` },
    }));
    const { questions, waits } = await ask(model, came);
    expect([questions, Math.max(...waits)]).toEqual([10, 600]);
  });

  it('share one question for what is stale, though each has got an answer of its own before', async () => {
    let said: Record<string, string> = { 'cache-control': 'private' };
    const model = new WebModel(method =>
      method === 'POST'
        ? pageAnswer({ 'cache-control': 'max-age=1', 'content-location': '/page' })
        : pageAnswer(said),
    );
    await ask(model, readers(10));
    await ask(model, [{ method: 'POST', quota: 'p', fields: {} }]);
    await model.pass(2_000);
    said = forAll;
    const { questions, came } = await ask(model, readers(10));
    expect(questions).toBe(1);
    expect(reports(came)).toContain('tidegate; fwd=stale; fwd-status=200; stored; collapsed');
  });

  it.each([
    ['GET', {}],
    ['If-None-Match', { fields: { 'if-none-match': '"1"' } }],
    ['HEAD', { method: 'HEAD' as const }],
  ])('do not wait for a page that each gets for itself, once that is known (%s)', async (_, different) => {
    const model = new WebModel((_method, sent) =>
      pageAnswer({ etag: '"1"' }, { status: sent['if-none-match'] ? 304 : 200 }),
    );
    const [first, second] = [await ask(model, users(20, different)), await ask(model, users(20, different))];
    expect([first.questions, second.questions]).toEqual([20, 20]);
    expect([Math.max(...first.waits), Math.max(...second.waits)]).toEqual([1_200, 300]);
    // and what nobody has asked for in the last minute may be otherwise now
    model.clock.advance(61_000);
    expect((await ask(model, users(20, different))).waits.filter(ms => ms > 300)).toHaveLength(19);
  });

  it.each([
    ['503', { status: 503 }, {}],
    ['429', { status: 429 }, {}],
    ['requests of their own', {}, { fields: { prefer: 'return=minimal' } }],
    ['Authorization', {}, { fields: { authorization: 'Basic x' } }],
  ])('learn nothing of others with cookies from %s', async (_, said, different) => {
    let isOdd = true;
    const model = new WebModel(() => (isOdd ? pageAnswer({ etag: '"1"' }, said) : pageAnswer(forAll)));
    await ask(model, users(20, different));
    isOdd = false;
    expect((await ask(model, users(20))).questions).toBe(1);
  });

  it('share one question again as soon as an answer was for all', async () => {
    let said: Record<string, string> = { etag: '"1"' };
    const model = new WebModel(() => pageAnswer(said));
    await ask(model, users(20));
    said = { ...forAll, etag: '"1"' };
    await ask(model, users(1));
    model.purge();
    expect((await ask(model, users(20))).questions).toBe(1);
  });

  it.each(['none', 'strong'])('share one more where what came was purged meanwhile (tag: %s)', async tag => {
    const model = new WebModel(() => pageAnswer(tag === 'strong' ? { ...forAll, etag: '"1"' } : forAll));
    model.clock.after(200, () => model.purge());
    const { questions, came } = await ask(model, readers(20));
    expect(questions).toBe(2);
    expect(came[0]?.result?.report.cacheStatus).toBe('tidegate; fwd=uri-miss; fwd-status=200');
  });

  it.each([
    ['that is kept', forAll, 200],
    ['that there is nothing', { 'cache-control': 'max-age=0' }, 404],
  ])(
    'get what was asked for after they came where changes come faster than answers (%s)',
    async (_, fields, status) => {
      const model = new WebModel(method =>
        method === 'POST' ? pageAnswer({}, { headMs: 0 }) : pageAnswer(fields, { headMs: 500, status }),
      );
      const poster = { method: 'POST' as const, fields: {}, quota: 'p' };
      const end = () => model.clock.after(50, change);
      let left = 60;
      const change = () => {
        model.read(poster);
        if (left-- > 0) end();
      };
      end();
      const alike = readers(30).map(request => ({ ...request, fields: {} }));
      const { waits } = await ask(model, alike);
      expect(model.origin.questions.filter(({ method }) => method === 'GET')).toHaveLength(3);
      expect(Math.max(...waits)).toBe(1_500);
    },
  );

  it('get no variant of others where changes come faster than answers', async () => {
    const model = new WebModel((method, { 'x-a': value = '' }) =>
      method === 'POST'
        ? pageAnswer({}, { headMs: 0 })
        : pageAnswer({ ...forAll, vary: 'x-a', 'x-value': value }, { headMs: 500 }),
    );
    let left = 60;
    const change = () => {
      model.read({ method: 'POST', fields: {}, quota: 'p' });
      if (left-- > 0) model.clock.after(50, change);
    };
    model.clock.after(50, change);
    const values = ['1', '2', '2', '2', '2', '1', '1', '1'];
    const all = readers(values.length).map(({ method, quota }, number) => ({
      ...{ method, quota, fields: { 'x-a': values[number] ?? '' } },
    }));
    const { came } = await ask(model, all);
    const got = came.map(({ result }) => result?.fields.find(({ name }) => name === 'x-value')?.value);
    expect(got).toEqual(values);
  });

  it('get the head as soon as it is there, where they want no more, and their variant', async () => {
    const dated = { ...forAll, vary: 'accept-language', 'last-modified': new Date(0).toUTCString() };
    const model = new WebModel(() => pageAnswer(dated, { bodyMs: 1_500 }));
    const since = { 'if-modified-since': new Date(86_400_000).toUTCString() };
    const { waits, questions, came } = await ask(model, [
      ...readers(2),
      ...readers(2, { method: 'HEAD' }),
      ...readers(2, { fields: since }),
      ...readers(1, { method: 'HEAD', fields: { 'accept-language': 'fr' } }),
    ]);
    // the head has said that French is another answer
    expect(waits).toEqual([1_800, 1_800, 300, 300, 300, 300, 600]);
    expect(questions).toBe(2);
    expect(came.map(({ result }) => result?.status)).toEqual([200, 200, 200, 200, 304, 304, 200]);
  });

  it('do not wait for the rest of an answer that is not of their variant, whenever they have come', async () => {
    const model = new WebModel((_, { 'accept-language': language }) =>
      pageAnswer({ ...forAll, vary: 'accept-language' }, { bodyMs: language === 'en' ? 9_000 : 0 }),
    );
    const reading = (quota: string, language: string) =>
      model.read({ method: 'GET', quota, fields: { 'accept-language': language } });
    const early = [reading('a', 'en'), reading('b', 'fr'), reading('c', 'de'), reading('d', 'fr')];
    await model.pass(2_000);
    const late = [reading('e', 'it'), reading('f', 'en')];
    await model.pass(8_000);
    expect(early.map(({ result }) => result?.atMs)).toEqual([9_300, 600, 600, 600]);
    expect(late.map(({ result }) => result?.atMs)).toEqual([2_300, 9_300]);
    expect(model.origin.questions.map(({ fields }) => fields['accept-language'])).toEqual([
      'en',
      'fr',
      'de',
      'it',
    ]);
  });

  it.each<[string, string, Partial<ModelRequest>, number]>([
    ['is fresh', 'max-age=60', { method: 'HEAD' }, 1],
    ['is fresh, and they have it', 'max-age=60', { fields: { 'if-none-match': '"1"' } }, 1],
    ['is stale by now', 'max-age=5', { method: 'HEAD' }, 2],
    ['is stale by now, and they have it', 'max-age=5', { fields: { 'if-none-match': '"1"' } }, 2],
    ['is stale by now, and they need the body', 'max-age=5', { fields: { 'if-none-match': '"2"' } }, 1],
    ['is stale by now, and they ask for the body', 'max-age=5', {}, 1],
    ['has to be confirmed each time', 'no-cache', { method: 'HEAD' }, 2],
    [
      'is older than they want',
      'max-age=60',
      { method: 'HEAD', fields: { 'cache-control': 'max-age=5' } },
      2,
    ],
  ])(
    'of one that has begun before they came, and %s, are told no more than the cache would tell (RFC 9111 §4)',
    async (_, control, asked, questions) => {
      const model = new WebModel(() =>
        pageAnswer({ 'cache-control': control, etag: 'W/"1"' }, { bodyMs: 9_000 }),
      );
      model.read({ method: 'GET', quota: 'first', fields: {} });
      await model.pass(7_000);
      readers(2, asked).map(request => model.read(request));
      await model.pass(100);
      expect(model.origin.questions).toHaveLength(questions);
    },
  );

  it('of which one comes after another was given in its place: that says nothing of what is asked for next', async () => {
    const slow = (headMs: number) => pageAnswer({ ...forAll, vary: 'x-b' }, { headMs });
    const model = new WebModel((_, { 'x-slow': isSlow }) => slow(isSlow ? 4_000 : 100));
    get(model, 'a', { 'x-slow': '1' });
    get(model, 'b');
    await model.pass(9_000);
    expect(askedAt(model)).toEqual([0, 2_000]);
    model.purge();
    get(model, 'c', { 'x-b': '1' });
    get(model, 'd', { 'x-b': '2' });
    await model.pass(1_000);
    expect(askedAt(model)).toEqual([0, 2_000, 9_000, 9_100]);
  });

  it('and was purged meanwhile: what was asked for before that takes no place of what was asked for after it', async () => {
    const model = new WebModel(() => pageAnswer(forAll, { bodyMs: 2_000 }));
    get(model, 'a');
    await model.pass(100);
    model.purge();
    get(model, 'b');
    await model.pass(250);
    get(model, 'c');
    await model.pass(5_000);
    expect(askedAt(model)).toEqual([0, 100]);
  });

  it('and what it varied by before it was purged is known no more', async () => {
    const model = new WebModel(() => pageAnswer({ ...forAll, vary: 'x-b' }));
    get(model, 'a', { 'x-b': '1' });
    await model.pass(1_000);
    model.purge();
    get(model, 'a', { 'x-b': '1' });
    get(model, 'b', { 'x-b': '2' });
    await model.pass(1_000);
    expect(askedAt(model)).toEqual([0, 1_000, 1_300]);
  });

  it('another variant of which is not to be had: that says nothing of the one that has begun', async () => {
    const model = new WebModel((_, { 'x-a': value }) =>
      value === '2'
        ? pageAnswer({}, { status: 503, headMs: 0 })
        : pageAnswer({ ...forAll, vary: 'x-a' }, { bodyMs: 5_000 }),
    );
    get(model, 'a', { 'x-a': '1' });
    await model.pass(1_000);
    get(model, 'b', { 'x-a': '2' });
    await model.pass(100);
    get(model, 'c', { 'x-a': '1' });
    await model.pass(9_000);
    expect(askedAt(model)).toEqual([0, 1_000]);
  });

  it('whose first has left, and whose head tells that it is of nobody who waits: it is given up', async () => {
    const model = new WebModel((_, { 'x-a': value }) =>
      pageAnswer({ ...forAll, vary: 'x-a' }, value === '1' ? { bodyMs: 9_000 } : {}),
    );
    const first = get(model, 'a', { 'x-a': '1' });
    get(model, 'b', { 'x-a': '2' });
    await model.pass(100);
    first.leave();
    await model.pass(1_000);
    expect(model.origin.questions.map(({ untilMs }) => untilMs)).toEqual([300, 600]);
  });

  it('whose first has left before the head: who needs the body gets it', async () => {
    const model = new WebModel(() => pageAnswer(forAll, { bodyMs: 2_000 }));
    const first = get(model, 'a');
    const [head, other] = [model.read({ method: 'HEAD', quota: 'b', fields: {} }), get(model, 'c')];
    await model.pass(100);
    first.leave();
    await model.pass(4_000);
    expect([head.result?.status, other.result?.status]).toEqual([200, 200]);
    expect(model.origin.questions.map(({ untilMs }) => untilMs)).toEqual([2_300]);
  });

  it('with credentials, each that selects another answer than the one that begins asks for itself at once', async () => {
    const model = new WebModel(() => pageAnswer({ ...forAll, vary: 'x-a' }));
    get(model, 'a', { 'x-a': '1' });
    for (const quota of ['b', 'c']) get(model, quota, { 'x-a': '2', authorization: `Bearer ${quota}` });
    await model.pass(2_000);
    expect(askedAt(model)).toEqual([0, 300, 300]);
  });

  it.each([200, 3_000])(
    'have one question for each variant, where the head that tells so takes %d ms',
    async headMs => {
      const model = new WebModel(() => pageAnswer({ ...forAll, vary: 'x-a' }, { headMs }));
      const came = Array.from({ length: 60 }, (_, number) =>
        get(model, `a${number}`, { 'x-a': String(number % 4), 'user-agent': String(number) }),
      );
      await model.pass(2.5 * headMs);
      expect(came.map(({ result }) => result?.status)).toEqual(Array(60).fill(200));
      expect(model.origin.questions.length).toBeLessThanOrEqual(headMs > 2_000 ? 8 : 4);
    },
  );

  it.each([
    ['HEAD, which a 304 tells nothing', 'HEAD', { 'if-none-match': 'W/"1"' }],
    ['HEAD, which that to other credentials tells nothing', 'HEAD', { authorization: 'Bearer a' }],
    ['GET of another one, likewise', 'GET', { 'if-none-match': 'W/"1"', authorization: 'Bearer a' }],
  ] as const)('begin no other body beside one that has begun: %s', async (_, method, first) => {
    const tag = { 'cache-control': 'no-cache', etag: 'W/"1"' };
    const model = new WebModel((asked, { 'if-none-match': held }) =>
      pageAnswer(
        tag,
        held ? { status: 304, headMs: 50 } : { headMs: 50, bodyMs: asked === 'HEAD' ? 0 : 4_000 },
      ),
    );
    get(model, 'first');
    await model.pass(100);
    const condition = method === 'GET' && { 'if-none-match': 'W/"1"' };
    let most = 0;
    for (let number = 0; number < 100; number++) {
      const own = number % 2 === 0 ? first : { ...condition, 'user-agent': String(number) };
      model.read({ method, quota: `a${number % 9}`, fields: own });
      await model.pass(20);
      most = Math.max(most, model.origin.open.length);
    }
    const bodies = model.origin.questions.filter(
      question => question.method === 'GET' && !question.fields['if-none-match'],
    );
    expect([bodies.length, most <= 6]).toEqual([1, true]);
  });

  it('are told the age and the length of what has begun, where they want the head', async () => {
    const model = new WebModel(() => pageAnswer(forAll, { bodyMs: 9_000 }));
    get(model, 'a');
    await model.pass(4_300);
    const head = model.read({ method: 'HEAD', quota: 'b', fields: {} });
    await model.pass(100);
    expect(head.result?.fields).toContainEqual({ name: 'age', value: '4', store: false });
    expect(head.result?.fields).toContainEqual({ name: 'content-length', value: '4', store: false });
  });

  it('are told nothing of what has begun once the page is unsettled', async () => {
    const model = new WebModel(method =>
      method === 'POST' ? pageAnswer({}, { status: undefined }) : pageAnswer(forAll, { bodyMs: 9_000 }),
    );
    model.read({ method: 'POST', quota: 'p', fields: {} });
    await model.pass(12_000);
    get(model, 'a');
    await model.pass(1_000);
    model.read({ method: 'HEAD', quota: 'b', fields: {} });
    await model.pass(1_000);
    expect(model.origin.questions.map(({ method }) => method)).toEqual(['POST', 'GET', 'HEAD']);
  });

  it('are told that what is held from before a write is stale', async () => {
    const model = new WebModel(method => pageAnswer(method === 'POST' ? {} : forAll));
    get(model, 'a');
    await model.pass(1_000);
    model.read({ method: 'POST', quota: 'p', fields: {} });
    await model.pass(1_000);
    const reader = get(model, 'a');
    await model.pass(1_000);
    expect(reader.result?.report.cacheStatus).toContain('fwd=stale');
  });

  it('are told that they have waited for a question without an answer', async () => {
    const model = new WebModel(() => pageAnswer({}, { status: undefined }));
    const { came } = await ask(model, readers(3));
    expect(reports(came)).toEqual([
      'tidegate; fwd=miss; detail=timeout',
      'tidegate; fwd=miss; collapsed; detail=timeout',
    ]);
  });

  it('get what another question has brought since a change, where theirs gets no answer', async () => {
    let isStuck = true;
    const model = new WebModel(() => pageAnswer(forAll, isStuck ? { status: undefined } : {}));
    const alike = { method: 'GET' as const, fields: {} };
    const came = ['a', 'b', 'c'].map(quota => model.read({ ...alike, quota }));
    isStuck = false;
    model.purge();
    await ask(model, [{ ...alike, quota: 'd' }]);
    await model.pass(10_000);
    expect(came.slice(1).map(({ result }) => result?.status)).toEqual([200, 200]);
    expect(reports(came.slice(1))).toEqual(['tidegate; fwd=uri-miss; fwd-status=200; stored; collapsed']);
  });

  it('are asked for where they have waited shortly for a question without an answer', async () => {
    const model = new WebModel((_, { cookie }) => pageAnswer(forAll, cookie ? { status: undefined } : {}));
    const locked = { method: 'GET' as const, quota: 'l', fields: { cookie: 'locked' } };
    model.read(locked);
    await model.pass(9_900);
    const { came, waits } = await ask(model, readers(1));
    expect([came[0]?.result?.status, waits[0]]).toEqual([200, 400]);
    // and that client leads for nobody else for a minute
    model.purge();
    model.read(locked);
    expect(Math.max(...(await ask(model, readers(5))).waits)).toBe(300);
  });

  it('do not wait again for a question that hangs once others were answered beside it, however late they came', async () => {
    const model = new WebModel((_, sent) =>
      sent['user-agent'] === 'hangs'
        ? pageAnswer({}, { status: undefined })
        : pageAnswer({ 'cache-control': 'private' }, { headMs: 50 }),
    );
    model.read({ method: 'GET', quota: 'h', fields: { 'user-agent': 'hangs' } });
    const early = readers(2).map(request => model.read(request));
    await model.pass(2_500);
    const { waits } = await ask(model, readers(5).slice(2));
    expect(early.map(({ result }) => result?.status)).toEqual([200, 200]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2_000);
  });

  it('ask for themselves where others are answered beside a question that hangs, but none for all', async () => {
    const model = new WebModel((_, { cookie }) =>
      cookie ? pageAnswer({}, { status: undefined }) : pageAnswer({}, { status: 403 }),
    );
    model.read({ method: 'GET', quota: 'l', fields: { cookie: 'locked' } });
    const { waits, most } = await ask(model, readers(1));
    expect(waits[0]).toBeLessThanOrEqual(2_600);
    expect(most).toBe(2);
  });

  it('wait on where what is asked beside in their name hangs as well', async () => {
    const model = new WebModel(() => pageAnswer({}, { status: undefined }));
    for (const request of users(2)) model.read(request);
    await model.pass(8_000);
    expect(model.origin.questions.map(({ fromMs }) => fromMs)).toEqual([0, 2_000]);
  });

  it('ask for themselves once four were asked for beside a question that hangs, and none got an answer for all', async () => {
    let isForAll = true;
    const model = new WebModel((_, { 'user-agent': agent = '' }) => {
      if (isForAll) return pageAnswer(forAll);
      if (agent === 'hangs') return pageAnswer({}, { status: undefined });
      return agent.startsWith('browser')
        ? pageAnswer({ 'cache-control': 'private' })
        : pageAnswer({}, { status: 503 });
    });
    // for which they have a second of patience
    await ask(model, readers(1));
    isForAll = false;
    model.purge();
    model.read({ method: 'GET', quota: 'h', fields: { 'user-agent': 'hangs' } });
    const { waits } = await ask(model, readers(10));
    expect(Math.max(...waits)).toBe(5_600);
  });

  it('wait on where what is asked beside in their name is given up for others', async () => {
    const model = new WebModel(() => pageAnswer({}, { status: undefined }));
    const read = (path: string, key: number) =>
      model.read({ path, method: 'GET', quota: `h${key}`, fields: { 'x-key': `${key}` } });
    for (const key of [0, 1]) read('/page', key);
    for (let key = 2; key < 160; key++) read(`/other ${key % 40}`, key);
    await model.pass(9_500);
    const asked = model.origin.questions.filter(({ target }) => target === '/page');
    expect(asked.map(({ fromMs, untilMs }) => [fromMs, untilMs])).toEqual([
      [0, undefined],
      [2_000, 4_000],
    ]);
  });

  it('ask for themselves once nobody is left in whose name to ask, whatever hangs beside them', async () => {
    const model = new WebModel((_, sent) =>
      sent['user-agent'] === 'hangs'
        ? pageAnswer({}, { status: undefined })
        : pageAnswer({ 'cache-control': 'private' }),
    );
    for (const key of ['1', '2'])
      model.read({ method: 'GET', quota: 'h', fields: { 'user-agent': 'hangs', 'x-key': key } });
    // in the name of the second client until now
    await model.pass(2_500);
    const reader = model.read({ method: 'GET', quota: 'r', fields: { 'user-agent': 'browser' } });
    await model.pass(10_000);
    // what is asked at 4000 is nobody's
    expect(reader.result).toMatchObject({ status: 200, atMs: 6_300 });
  });

  it.each([503, 404])('get what came meanwhile where the first gets a %i for itself', async status => {
    const model = new WebModel((_, { range, 'x-first': first }) => {
      if (range) return pageAnswer(forAll, { headMs: 300, bodyMs: 0 });
      return first
        ? pageAnswer({ 'cache-control': 'no-store' }, { status, headMs: 700 })
        : pageAnswer({}, { status: undefined });
    });
    const read = (quota: string, fields: Record<string, string>) =>
      model.read({ method: 'GET', quota, fields: { 'user-agent': quota, ...fields } });
    read('range', { range: 'bytes=0-' });
    read('first', { 'x-first': '1' });
    const waiting = ['a', 'b'].map(quota => read(quota, {}));
    await model.pass(1_500);
    expect(waiting.map(({ result }) => result?.status)).toEqual([200, 200]);
    expect(model.origin.questions).toHaveLength(2);
  });

  it('are not ended by what nobody in particular gets', async () => {
    const model = new WebModel((_, sent) =>
      sent['user-agent']?.startsWith('browser')
        ? pageAnswer(forAll, { headMs: 6_000 })
        : pageAnswer({ 'cache-control': 'no-store' }, { status: 302 }),
    );
    const { most, waits } = await ask(model, users(30));
    expect([most, Math.max(...waits)]).toEqual([3, 6_000]);
  });

  it('ask for themselves where clients get answers of their own, and nobody gets any: at once when that is known', async () => {
    const model = new WebModel((_, { cookie }) =>
      cookie ? pageAnswer({ 'cache-control': 'private' }) : pageAnswer({}, { status: undefined }),
    );
    model.read({ method: 'GET', quota: 's', fields: {} });
    const { came, waits } = await ask(model, users(24));
    expect(new Set(came.map(({ result }) => result?.status))).toEqual(new Set([200]));
    // the origin may just be slow, as long as the gateway waits; then they ask eight at a time, and more and more
    expect(Math.max(...waits)).toBe(10_600);
    model.read({ method: 'GET', quota: 't', fields: {} });
    expect(Math.max(...(await ask(model, users(24))).waits)).toBe(2_600);
  });

  it('ask for themselves where some of them hang, too, and others get answers of their own', async () => {
    const model = new WebModel((_, { cookie }) => {
      const hangs = cookie !== undefined && Number(cookie.slice('user='.length)) % 3 === 0;
      return pageAnswer({ 'cache-control': 'no-store' }, { status: hangs ? undefined : 404 });
    });
    model.read({ method: 'GET', quota: 's', fields: { cookie: 'user=99' } });
    const { came } = await ask(model, users(24));
    const well = came.filter((_, number) => number % 3 !== 0);
    expect(new Set(well.map(({ result }) => result?.status))).toEqual(new Set([404]));
  });

  it('are answered where a body gets stuck that has begun', async () => {
    const model = new WebModel((_, { cookie }) =>
      cookie ? pageAnswer(forAll, { headMs: 0, bodyMs: 20_000 }) : pageAnswer(forAll),
    );
    model.read({ method: 'GET', quota: 's', fields: { cookie: 'stuck' } });
    await model.pass(300);
    const { waits, questions } = await ask(model, readers(10));
    expect([Math.max(...waits), questions]).toEqual([4_000, 1]);
  });

  it('are asked for where it gets stuck for good before others were asked for', async () => {
    const model = new WebModel((_, { cookie }) =>
      cookie ? pageAnswer(forAll, { headMs: 0, bodyMs: 20_000 }) : pageAnswer(forAll),
    );
    model.read({ method: 'GET', quota: 's', fields: { cookie: 'stuck' } });
    await model.pass(7_900);
    const { came, waits } = await ask(model, readers(2));
    expect(came.map(({ result }) => result?.status)).toEqual([200, 200]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2_500);
  });

  describe('who ask for ranges', () => {
    /** An origin that hangs for who sends a key, and answers others with what they ask for. */
    const keyed = (fields: Record<string, string>) =>
      new WebModel((_, { range, 'x-key': key }) => {
        if (key) return pageAnswer({}, { status: undefined });
        if (range === undefined) return pageAnswer(fields, { body: '0123' });
        const last = Number(/-(\d)$/.exec(range)?.[1] ?? 3);
        const part = { 'content-range': `bytes 0-${last}/4` };
        return pageAnswer({ ...fields, ...part }, { status: 206, body: '0123'.slice(0, last + 1) });
      });
    const strong = { ...forAll, etag: '"1"' };
    const ranges = (count: number) =>
      readers(count).map((request, number) => ({
        ...request,
        fields: { ...request.fields, range: `bytes=0-${number % 2 === 0 ? '' : 1}` },
      }));
    const hangs = (range: Record<string, string>): ModelRequest => ({
      ...{ method: 'GET', quota: 'h', fields: { ...range, 'x-key': '1' } },
    });

    it.each([
      ['the whole', {}, 'under a strong tag', strong],
      ['the whole', {}, 'without one', forAll],
      ['a range', { range: 'bytes=0-' }, 'under a strong tag', strong],
    ])(
      'share what is asked beside %s %j that hangs, %s',
      async (_, range: Record<string, string>, _tag, fields) => {
        const model = keyed(fields);
        model.read(hangs(range));
        const { waits, questions } = await ask(model, ranges(30));
        expect([questions, Math.max(...waits)]).toEqual([1, 2_300]);
        expect(model.origin.questions.map(asked => asked.fields.range)).toEqual([range.range, range.range]);
        // nor do others wait again, but for one of them
        model.purge();
        model.read(hangs(range));
        expect(Math.max(...(await ask(model, ranges(30))).waits)).toBeLessThanOrEqual(600);
      },
    );

    it('ask for themselves a few at a time where what is asked beside one that hangs is for nobody else', async () => {
      // nothing says for how long the parts are fresh: whoever asks, they are kept for nobody
      const model = keyed({ etag: 'W/"1"' });
      model.read(hangs({ range: 'bytes=0-' }));
      const { waits, most, questions } = await ask(model, ranges(12));
      expect([Math.max(...waits), most, questions]).toEqual([2_900, 10, 13]);
      // nor do others wait for one another
      expect((await ask(model, ranges(9))).waits).toEqual(Array(9).fill(300));
    });

    it.each([{}, { range: 'bytes=0-' }])(
      'ask no more than five of a page at a time where the origin hangs for all (%j)',
      async (range: Record<string, string>) => {
        let isWell = true;
        const model = new WebModel(() => pageAnswer(forAll, isWell ? {} : { status: undefined }));
        const pages = Array.from({ length: 10 }, (_, number) => `/page ${number}`);
        const of = (requests: readonly ModelRequest[]) =>
          pages.flatMap(path => requests.map(request => ({ ...request, path })));
        await ask(model, of(readers(1)));
        isWell = false;
        for (const path of pages) model.purge(path);
        for (const _time of [1, 2]) {
          for (const request of of([hangs(range)])) model.read(request);
          const { came, most } = await ask(model, of(ranges(20)));
          expect(new Set(came.map(({ result }) => String(result?.error)))).toEqual(
            new Set(['Error: no answer']),
          );
          expect(most).toBeLessThanOrEqual(pages.length * 5);
        }
      },
    );
  });

  it.each([
    ['hangs', {}, {}, 4_300],
    ['hangs', { range: 'bytes=0-' }, {}, 4_300],
    ['is given up', {}, { givenUpMs: 2_500 }, 2_800],
  ])(
    'are asked for beside one that %s though what is asked beside others takes all places (%j)',
    async (_, range: Record<string, string>, given, waitMs) => {
      const model = new WebModel((_method, { 'x-key': key }) =>
        pageAnswer({ ...forAll, etag: '"1"' }, key ? { status: undefined, ...(key === '80' && given) } : {}),
      );
      const hangs = (path: string, key: number): ModelRequest => ({
        ...{ path, method: 'GET', quota: `h${key}`, fields: { ...range, 'x-key': `${key}` } },
      });
      for (let number = 0; number < 80; number++) model.read(hangs(`/other ${number % 40}`, number));
      await model.pass(1_000);
      model.read(hangs('/page', 80));
      const alike = readers(10, { fields: range }).map(({ fields, ...request }) => ({
        ...request,
        fields: { ...fields, 'user-agent': 'browser' },
      }));
      const { waits } = await ask(model, alike);
      const good = model.origin.questions.filter(({ fields }) => !fields['x-key']);
      expect([good.length, Math.max(...waits)]).toEqual([1, waitMs]);
    },
  );

  it("are answered by nobody's question where theirs hang without a place in the background", async () => {
    const model = new WebModel((_method, { 'x-key': key }, target) =>
      pageAnswer({ ...forAll, etag: '"1"' }, key || target !== '/page' ? { status: undefined } : {}),
    );
    const hangs = (path: string, key: number): ModelRequest => ({
      ...{ path, method: 'GET', quota: `h${key}`, fields: { 'x-key': `${key}` } },
    });
    for (let number = 0; number < 160; number++) model.read(hangs(`/other ${number % 40}`, number));
    await model.pass(1_000);
    const { waits } = await ask(
      model,
      readers(10).map((_, number) => hangs('/page', 160 + number)),
    );
    // the first waits for its own
    expect(Math.max(...waits.slice(1))).toBe(6_300);
  });

  describe('where questions that hang take all places in the background', () => {
    const hangs = { status: undefined };

    /** What was asked of a page in `ms`: ten ask for it, each with a key. @param leaveMs when all but the first leave */
    async function askedIn(
      ms: number,
      answer: (key: string | undefined) => Partial<ModelAnswer>,
      others: Partial<ModelAnswer> = hangs,
      leaveMs = ms,
    ) {
      const model = new WebModel((_method, { 'x-key': key }, target) =>
        pageAnswer({ ...forAll, etag: '"1"' }, target === '/page' ? answer(key) : others),
      );
      const read = (path: string, key: number) =>
        model.read({ path, method: 'GET', quota: `h${key}`, fields: { 'x-key': `${key}` } });
      for (let number = 0; number < 160; number++) read(`/other ${number % 40}`, number);
      await model.pass(1_000);
      const [, ...waiting] = Array.from({ length: 10 }, (_, number) => read('/page', 160 + number));
      await model.pass(leaveMs);
      for (const reader of waiting) reader.leave();
      await model.pass(ms - leaveMs);
      const asked = model.origin.questions.filter(({ target }) => target === '/page');
      return asked.map(({ fields, fromMs }) => ({ key: fields['x-key'], atMs: fromMs - 1_000 }));
    }

    const byWhom = (asked: Awaited<ReturnType<typeof askedIn>>) =>
      asked.map(({ key, atMs }) => [key ? 'client' : 'nobody', atMs]);

    it('one of a client is sent without a place at a time, whatever nobody gets', async () => {
      const asked = await askedIn(9_000, key => (key ? hangs : { status: 503 }));
      expect(byWhom(asked)).toEqual([
        ['client', 0],
        ['client', 4_000],
        ['nobody', 6_000],
      ]);
    });

    it('the next of a client is sent when the one before has ended', async () => {
      const own = { fields: { 'cache-control': 'private' } };
      const asked = await askedIn(8_100, key => (key === undefined || key === '160' ? hangs : own));
      expect(byWhom(asked)).toEqual([
        ['client', 0],
        ['client', 4_000],
        ['nobody', 6_000],
        ['client', 8_000],
      ]);
    });

    it('nothing is sent without a place while an answer comes', async () => {
      const asked = await askedIn(4_900, () => ({ fields: forAll, headMs: 3_000, bodyMs: 5_000 }));
      expect(byWhom(asked)).toEqual([['client', 0]]);
    });

    it('nor where there is one by then', async () => {
      const others = { ...hangs, givenUpMs: 2_500 };
      const asked = await askedIn(4_900, () => ({ fields: forAll, headMs: 3_000, bodyMs: 5_000 }), others);
      expect(byWhom(asked)).toEqual([['client', 0]]);
    });

    it('nothing is sent without a place for nobody', async () => {
      const asked = await askedIn(4_900, () => hangs, hangs, 2_500);
      expect(byWhom(asked)).toEqual([['client', 0]]);
    });

    it('what was sent without a place is not sent again when there is one', async () => {
      const asked = await askedIn(9_500, () => hangs, { ...hangs, givenUpMs: 6_000 });
      expect(asked.length).toBeGreaterThan(2);
      expect(new Set(asked.map(({ key }) => key)).size).toBe(asked.length);
    });
  });

  describe('whose question is given up for others', () => {
    it.each([GIVEN_UP, NO_ANSWER] as const)('share the next one, twice at most (%s)', async givenUpAs => {
      const given = { status: undefined, givenUpMs: 500, givenUpAs };
      const { questions, waits } = await ask(new WebModel(() => pageAnswer({}, given)), readers(10));
      expect([questions, Math.max(...waits)]).toEqual([3, 1_500]);
    });

    it('are told so where they want nothing stored', async () => {
      const given = { status: undefined, givenUpMs: 500 };
      const model = new WebModel(() => pageAnswer({}, given));
      const unkept = readers(3, { fields: { 'cache-control': 'no-store' } }).slice(1);
      expect((await ask(model, [...readers(1), ...unkept])).questions).toBe(1);
    });

    it('are told so where they have sent the same', async () => {
      const alike = readers(10).map(request => ({ ...request, fields: {} }));
      const given = { status: undefined, givenUpMs: 500 };
      expect((await ask(new WebModel(() => pageAnswer({}, given)), alike)).questions).toBe(1);
    });
  });

  it('are asked for before strangers who were there before them, and hang as well', async () => {
    const model = new WebModel((_, sent) =>
      sent.cookie?.startsWith('user') ? pageAnswer(forAll) : pageAnswer({}, { status: undefined }),
    );
    for (const { quota } of readers(6))
      model.read({ method: 'GET', quota: `s${quota}`, fields: { cookie: `locked=${quota}` } });
    expect(Math.max(...(await ask(model, users(20))).waits)).toBe(2_300);
  });

  it('are asked for before those who come again and again', async () => {
    const model = new WebModel((_, sent) =>
      sent.cookie || !sent['user-agent'] ? pageAnswer({}, { status: undefined }) : pageAnswer(forAll),
    );
    const stranger = (quota: string): ModelRequest => ({
      ...{ method: 'GET', quota, fields: { 'user-agent': quota, cookie: `${quota}=1` } },
    });
    model.read(stranger('s'));
    const again = (quota: string) => {
      const reader = model.read(stranger(quota));
      model.clock.after(400, () => reader.leave());
      if (model.clock.monotonicMs() < 30_000) model.clock.after(400, () => again(quota));
    };
    for (const quota of ['t', 'u', 'v']) again(quota);
    const came = users(20).map(({ fields, quota }) => ({
      ...{ method: 'GET' as const, quota, fields: { ...fields, cookie: '' } },
    }));
    expect(Math.max(...(await ask(model, came)).waits)).toBe(2_300);
  });

  it.each([
    ['all have left', true],
    ['none waits but the first, which has an answer of its own', false],
  ])('get no answers without end for nobody once %s', async (_, leavesFirst) => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { status: undefined } : { bodyMs: 9_000 }),
    );
    const [first, ...others] = users(4).map(request => model.read(request));
    await model.pass(5_000);
    expect(model.origin.open).toHaveLength(2);
    for (const reader of others) reader.leave();
    if (leavesFirst) first?.leave();
    // looked for each time that patience is over
    await model.pass(4_500);
    expect(model.origin.open).toHaveLength(leavesFirst ? 0 : 1);
    expect(model.origin.questions.length).toBeLessThanOrEqual(4);
  });

  it('leave no timers behind when the last that waits asks for itself and the first has left', async () => {
    const model = new WebModel((_method, { cookie }) =>
      cookie ? pageAnswer({ 'cache-control': 'private' }) : pageAnswer({}, { status: undefined }),
    );
    // that each gets its own is known
    await ask(model, users(10));
    const first = model.read({ method: 'GET', quota: 'first', fields: {} });
    const [reader] = users(1).map(request => model.read(request));
    await model.pass(500);
    first.leave();
    await model.pass(2_500);
    expect([reader?.result?.status, model.origin.open.length]).toEqual([200, 0]);
    await model.pass(57_500);
    expect(model.clock.waiting).toBe(0);
  });

  it('leave no timers behind once they are answered', async () => {
    const model = new WebModel(() => pageAnswer(forAll));
    const { waits } = await ask(model, users(2));
    expect([waits, model.clock.waiting]).toEqual([[300, 300], 0]);
  });

  it('have what hangs given up where its client has left and they are answered otherwise', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { status: undefined } : {}),
    );
    const [first, other] = users(2).map(request => model.read(request));
    await model.pass(1_000);
    first?.leave();
    await model.pass(1_500);
    expect([other?.result?.status, model.origin.open.length]).toEqual([200, 0]);
  });

  it('have given up for nobody what begins once they were answered otherwise, and does not end', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { headMs: 2_500 } : { headMs: 4_000, isEndless: true }),
    );
    const [, other] = users(2).map(request => model.read(request));
    await model.pass(5_800);
    expect([other?.result?.status, model.origin.open.length]).toEqual([200, 1]);
    await model.pass(30_000);
    expect([model.origin.open.length, model.clock.waiting]).toEqual([0, 0]);
  });

  it('wait on for an answer that takes long to come, and is asked for once', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { status: undefined } : { isEndless: true }),
    );
    for (const request of users(3)) model.read(request);
    await model.pass(9_500);
    expect([model.origin.questions.length, model.origin.open.length]).toEqual([2, 2]);
  });

  it('find what others have had asked who have left, as long as its answer has not begun', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { status: undefined } : { headMs: 5_000 }),
    );
    const [first, second, third] = users(3);
    if (first) model.read(first);
    const reader = second && model.read(second);
    await model.pass(2_100);
    reader?.leave();
    await model.pass(2_500);
    const last = third && model.read(third);
    await model.pass(2_500);
    expect([last?.result?.status, last?.result?.atMs]).toEqual([200, 2_000 + 5_000]);
  });

  it('find what has begun for those who wanted the head alone, where it ends soon', async () => {
    const model = new WebModel(() => pageAnswer(forAll, { headMs: 1_500, bodyMs: 900 }));
    const first = model.read({ method: 'GET', quota: 'first', fields: {} });
    const [head] = readers(1, { method: 'HEAD' }).map(request => model.read(request));
    await model.pass(800);
    first.leave();
    await model.pass(4_000);
    const { waits, questions } = await ask(model, users(1));
    expect([head?.result?.status, questions, waits]).toEqual([200, 0, [0]]);
  });

  it('do not keep for nobody what has begun for those who wanted the head alone', async () => {
    const model = new WebModel(() => pageAnswer(forAll, { headMs: 1_500, isEndless: true }));
    const first = model.read({ method: 'GET', quota: 'first', fields: {} });
    const [reader] = readers(1, { method: 'HEAD' }).map(request => model.read(request));
    await model.pass(800);
    first.leave();
    await model.pass(6_000);
    expect([reader?.result?.status, model.origin.open.length]).toEqual([200, 0]);
  });

  it('are asked for on where those in whose names it was have left', async () => {
    // all are told after 9 s, but the first
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { status: undefined } : { headMs: 9_000 }),
    );
    const [first, ...others] = users(6);
    if (first) model.read(first);
    for (const request of others) {
      const reader = model.read(request);
      await model.pass(2_000);
      reader.leave();
      await model.pass(500);
    }
    expect((await ask(model, users(7).slice(6))).waits[0]).toBeLessThan(1_000);
  });

  it('are asked for again in the name of a client where what was asked before was given up for nobody', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(forAll, cookie === 'user=0' ? { status: undefined } : { isEndless: true }),
    );
    const [first, ...others] = users(8);
    if (first) model.read(first);
    // one after the other, and nobody waits after 6 s
    for (const request of others) {
      const reader = model.read(request);
      await model.pass(1_000);
      reader.leave();
      await model.pass(200);
    }
    const asked = model.origin.questions.map(({ fields, fromMs, untilMs }) => [
      fields.cookie,
      fromMs,
      untilMs,
    ]);
    expect(asked).toEqual([
      ['user=0', 0, undefined],
      ['user=2', 2_000, 6_000],
      ['user=7', 8_000, undefined],
    ]);
  });

  it('have patience by what the answer took that was for all, whoever was asked for', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer(
        { 'cache-control': 'max-age=1' },
        cookie === 'user=0' || cookie === 'user=1' ? { status: undefined } : {},
      ),
    );
    const [hangs, other, ...both] = users(6);
    for (const request of [hangs, ...both.slice(0, 2)]) if (request) model.read(request);
    await model.pass(14_000);
    if (other) model.read(other);
    const { waits } = await ask(model, both.slice(2));
    // the least that it can be, and the answer
    expect(waits).toEqual([1_300, 1_300]);
  });

  it('share the question of who was answered first, though another was asked for beside it', async () => {
    const model = new WebModel((_method, { cookie }) =>
      pageAnswer({ 'cache-control': 'max-age=5' }, { headMs: cookie === 'user=1' ? 2_500 : 2_400 }),
    );
    const [first, second, ...others] = users(4);
    for (const request of [first, second]) if (request) model.read(request);
    await model.pass(8_000);
    const before = model.origin.questions.length;
    for (const request of [first, ...others]) if (request) model.read(request);
    await model.pass(900);
    expect(model.origin.questions.length - before).toBe(1);
  });

  it('do not ask for themselves because one client with a cookie gets its own, again and again', async () => {
    const model = new WebModel((_, { cookie }) =>
      pageAnswer(cookie === 'own' ? { 'cache-control': 'private' } : forAll),
    );
    for (let time = 0; time < 6; time++)
      await ask(model, [{ method: 'GET', quota: 'o', fields: { cookie: 'own' } }]);
    expect((await ask(model, users(20))).questions).toBe(1);
  });

  it('ask a few at a time where strangers who lead get answers of their own', async () => {
    const model = new WebModel((_, { cookie }) =>
      pageAnswer(
        cookie?.startsWith('own') ? { 'cache-control': 'private' } : { 'cache-control': 'max-age=1' },
      ),
    );
    await ask(model, readers(1));
    await model.pass(2_000);
    const strangers = readers(6).map(({ quota }) => ({
      ...{ method: 'GET' as const, quota: `s${quota}`, fields: { cookie: `own=${quota}` } },
    }));
    const came = [...strangers.slice(0, 1), ...users(20), ...strangers.slice(1), ...users(40).slice(20)];
    const { most, waits, questions } = await ask(model, came);
    expect([most, questions, Math.max(...waits)]).toEqual([8, 3 + 8 + 2, 5 * 300]);
  });

  it('lead before those who were there first, and before those who come again and again', async () => {
    const model = new WebModel((_, { cookie }) =>
      pageAnswer(cookie ? { 'cache-control': 'private' } : forAll, { headMs: cookie ? 500 : 300 }),
    );
    for (const { quota } of readers(4))
      model.read({ method: 'GET', quota: `t${quota}`, fields: { cookie: quota } });
    const come = (number: number) => {
      model.read({ method: 'GET', quota: `s${number % 3}`, fields: { cookie: `own=${number}` } });
      if (number < 40) model.clock.after(100, () => come(number + 1));
    };
    come(0);
    await model.pass(50);
    expect(Math.max(...(await ask(model, readers(10))).waits)).toBe(450 + 300);
  });

  it.each([
    ['404', { status: 404 }, {}],
    ['403', { status: 403 }, {}],
    ['401 to credentials', { status: 401 }, { authorization: 'Bearer expired' }],
    ['200 to credentials', {}, { authorization: 'Bearer own' }],
    ['private', { fields: { 'cache-control': 'private' } }, {}],
  ])(
    'do not wait for one another where each is answered for itself (%s), but for the very same',
    async (_, said, own) => {
      const model = new WebModel(() => pageAnswer({}, said));
      const came: ModelReader[] = [];
      for (const request of readers(60, { fields: own })) {
        came.push(model.read(request));
        await model.pass(50);
      }
      await model.pass(2_000);
      const waits = came.map(({ result, askedMs }) => (result?.atMs ?? Number.POSITIVE_INFINITY) - askedMs);
      expect(Math.max(...waits)).toBeLessThanOrEqual(2_000);
      expect(Math.max(...waits.slice(40))).toBeLessThanOrEqual(350);
      const alike = readers(10).map(({ quota }) => ({ method: 'GET' as const, quota, fields: own }));
      const isNothing = 'status' in said && said.status === 404;
      if (isNothing) expect((await ask(model, alike)).questions).toBe(1);
    },
  );

  it("wait on where nobody's question is refused beside one that takes long", async () => {
    const model = new WebModel((_, sent) => {
      if (sent.cookie) return pageAnswer(forAll, { headMs: 5_000 });
      return sent['user-agent']?.startsWith('browser')
        ? pageAnswer({}, { status: undefined })
        : pageAnswer({}, { status: 403 });
    });
    model.read({ method: 'GET', quota: 's', fields: { cookie: 'slow' } });
    const { waits, questions } = await ask(model, readers(20));
    expect([Math.max(...waits), questions]).toEqual([5_000, 2]);
  });
});

it('of answers without a date, that counts which was asked for later', async () => {
  let version = 1;
  const model = new WebModel((_, { cookie }) =>
    pageAnswer({ ...forAll, 'x-version': String(version) }, { headMs: cookie ? 6_000 : 300 }),
  );
  const slow = model.read({ method: 'GET', quota: 's', fields: { cookie: 'slow' } });
  version = 2;
  await ask(model, readers(3));
  await model.pass(6_000);
  expect(slow.result?.fields).toContainEqual(expect.objectContaining({ name: 'x-version', value: '1' }));
  const { came } = await ask(model, readers(1));
  expect(came[0]?.result?.fields).toContainEqual(expect.objectContaining({ name: 'x-version', value: '2' }));
  expect(reports(came)).toEqual([expect.stringContaining('hit')]);
});

describe('who has waited, and demands an answer that is confirmed,', () => {
  const noCache = { 'cache-control': 'no-cache' };

  /** A page that is stale and may be served where the origin fails, which then says nothing. */
  async function silentBehindStale() {
    const fields = { 'cache-control': 'max-age=1', etag: 'W/"1"' };
    const model = new WebModel(() => pageAnswer(fields), { staleIfErrorMs: 600_000 });
    model.read({ method: 'GET', quota: 'a', fields: {} });
    await model.pass(5_000);
    model.origin.answer = () => pageAnswer({}, { status: undefined });
    return model;
  }

  it.each([
    ['is served what is stale', {}, { status: 200 }],
    ['gets an error', noCache, { status: undefined }],
  ])('gets nothing stale where who has asked %s', async (_, fields, result) => {
    const model = await silentBehindStale();
    const first = model.read({ method: 'GET', quota: 'b', fields });
    const strict = model.read({ method: 'GET', quota: 'c', fields: noCache });
    await model.pass(30_000);
    expect([first.result, strict.result]).toMatchObject([result, { status: undefined }]);
  });
});
