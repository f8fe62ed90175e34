import { describe, expect, it } from 'vitest';
import type { ReadableRecord } from '../../../../src/cache/record.ts';
import { ASKED_RANGE } from '../../../../src/gateway/web/asked-range.ts';
import { described } from '../../../../src/gateway/web/confirmation.ts';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';
import { type ModelAnswer, type ModelReader, pageAnswer, WebModel } from '../../../support/web-model.ts';

const anew = { 'cache-control': 'max-age=0' };
const kept = { 'cache-control': 'max-age=60' };
const modified = { 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT' };
const fieldOf = (reader: ModelReader | undefined, name: string) =>
  reader?.result?.fields.find(field => field.name === name)?.value;
const asUser = (user: string) => ({ quota: user, fields: { 'x-select': user } });

/** What a GET has got that nobody else has asked meanwhile. */
async function readBy(model: WebModel, user: string): Promise<ModelReader> {
  const reader = model.read({ method: 'GET', ...asUser(user) });
  await model.pass(2_000);
  return reader;
}

const isConfirming = (sent: object) => 'if-none-match' in sent || 'if-modified-since' in sent;

/** An origin that confirms with these fields, and has `whole` for who asks otherwise. */
const confirmingWith =
  (fields: Record<string, string>, whole: ModelAnswer) => (_method: string, sent: object) =>
    isConfirming(sent) ? pageAnswer(fields, { status: 304 }) : whole;

it.each([
  ['GET', '"1"', 'accept-encoding'],
  ['GET', 'W/"1"', ''],
  ['HEAD', '"1"', 'accept-encoding'],
  ['HEAD', 'W/"1"', ''],
] as const)(
  'what was selected by a field is selected by that though a confirmation, to %s, with the tag %s, has the Vary "%s"',
  async (method, etag, vary) => {
    const model = new WebModel(() => pageAnswer({ ...anew, etag, vary: 'x-select' }));
    await readBy(model, 'a');
    model.origin.answer = asked =>
      pageAnswer({ ...kept, etag, vary }, { status: asked === 'HEAD' ? 200 : 304 });
    model.read({ method, ...asUser('a') });
    await model.pass(1_000);
    const asked = model.origin.questions.length;
    const readers = ['a', 'b'].map(user => model.read({ method: 'GET', ...asUser(user) }));
    await model.pass(10);
    expect([asked, readers.map(({ result }) => result?.outcome?.how)]).toEqual([2, ['hit', undefined]]);
    // caches in front have to select by all of it, too
    expect(fieldOf(readers[0], 'vary')).toContain('x-select');
  },
);

it.each([
  ['a date', modified, 'x-select'],
  ['a date', modified, '*'],
  ['a weak tag', { etag: 'W/"1"' }, 'x-select'],
])(
  'what is confirmed by %s (%j) alone is asked for whole where the confirmation varies by what was not known: %s',
  async (_, validator, vary) => {
    const model = new WebModel(() => pageAnswer({ ...anew, ...validator, vary: 'accept' }));
    await readBy(model, 'a');
    model.origin.answer = confirmingWith(
      { ...kept, ...validator, vary },
      pageAnswer({ ...kept, ...validator, vary }),
    );
    const reader = await readBy(model, 'b');
    expect([reader.result?.status, model.origin.questions.length]).toEqual([200, 3]);
  },
);

it('the same where a strong tag says that the content is the same', async () => {
  const model = new WebModel(() => pageAnswer({ ...anew, etag: '"1"' }));
  await readBy(model, 'a');
  model.origin.answer = () => pageAnswer({ ...kept, etag: '"1"', vary: 'x-select' }, { status: 304 });
  const reader = await readBy(model, 'b');
  expect([reader.result?.outcome?.how, model.origin.questions.length]).toEqual(['revalidated', 2]);
});

it.each([
  ['a date', modified],
  ['a weak tag', { etag: 'W/"1"' }],
])('what HEAD describes by %s (%j), varying by what was not known, is no hit', async (_, validator) => {
  const model = new WebModel(() => pageAnswer({ ...kept, ...validator }));
  await readBy(model, 'a');
  model.origin.answer = () =>
    pageAnswer({ ...kept, ...validator, vary: 'x-select' }, { isUnannounced: true });
  model.read({ method: 'HEAD', quota: 'b', fields: { 'x-select': 'b', 'cache-control': 'no-cache' } });
  await model.pass(1_000);
  const reader = model.read({ method: 'GET', ...asUser('b') });
  await model.pass(10);
  expect([reader.result, model.origin.questions.length]).toEqual([undefined, 3]);
});

it.each(['GET', 'HEAD'] as const)(
  'what is selected by more than there may be is for nobody else: a confirmation to %s names one field more than 32',
  async method => {
    const names = ['x-select', ...Array.from({ length: 31 }, (_, number) => `x-${number}`)];
    const model = new WebModel(() => pageAnswer({ ...anew, etag: '"1"', vary: names.join() }));
    await readBy(model, 'a');
    model.origin.answer = (asked, sent) => {
      const status = asked === 'GET' && 'if-none-match' in sent ? 304 : 200;
      return pageAnswer({ ...kept, etag: '"1"', vary: 'x-more' }, { status });
    };
    const confirming = model.read({ method, ...asUser('a') });
    await model.pass(2_000);
    expect(confirming.result?.status).toBe(200);
    const asked = model.origin.questions.length;
    const other = model.read({ method: 'GET', ...asUser('b') });
    await model.pass(10);
    expect([other.result, model.origin.questions.length]).toEqual([undefined, asked + 1]);
  },
);

describe('once a confirmation has named what a page varies by', () => {
  it('what comes whole is selected by that, though it does not say so, and can be confirmed', async () => {
    const model = new WebModel(
      confirmingWith({ ...anew, ...modified, vary: 'x-select' }, pageAnswer({ ...anew, ...modified })),
    );
    const readers: ModelReader[] = [];
    for (const user of ['a', 'b', 'b', 'b']) {
      readers.push(model.read({ method: 'GET', ...asUser(user) }));
      await model.pass(2_000);
    }
    expect(model.origin.questions.map(({ fields }) => isConfirming(fields))).toEqual([
      ...[false, true, false],
      ...[true, true],
    ]);
    expect(readers.map(reader => fieldOf(reader, 'vary'))).toEqual([
      undefined,
      ...['x-select', 'x-select', 'x-select'],
    ]);
  });

  it.each([
    ['another Vary', { vary: '*' }],
    ['more than there may be', { vary: Array.from({ length: 33 }, (_, number) => `x-${number}`).join() }],
  ])('by %s, what comes whole is for nobody else', async (_, vary) => {
    const model = new WebModel(() => pageAnswer({ ...anew, ...modified }));
    await readBy(model, 'a');
    model.origin.answer = confirmingWith(
      { ...kept, ...modified, ...vary },
      pageAnswer({ ...kept, ...modified }),
    );
    await readBy(model, 'b');
    const other = model.read({ method: 'GET', ...asUser('c') });
    await model.pass(10);
    expect([other.result, model.origin.questions.length]).toEqual([undefined, 4]);
  });

  it.each(['GET', 'HEAD'] as const)(
    'an answer that is not selected by that is confirmed by none, to %s, that does not name it',
    async method => {
      const model = new WebModel(() => pageAnswer({ ...anew, ...modified }));
      await readBy(model, 'a');
      model.origin.answer = confirmingWith(
        { ...anew, ...modified, vary: 'x-select' },
        pageAnswer({ ...kept, ...modified, vary: 'x-select' }),
      );
      await readBy(model, 'b');
      const isBare = (asked: string, sent: object) => asked === 'HEAD' || isConfirming(sent);
      model.origin.answer = (asked, sent) =>
        isBare(asked, sent)
          ? pageAnswer(
              { ...kept, ...modified },
              { status: asked === 'HEAD' ? 200 : 304, isUnannounced: true },
            )
          : pageAnswer({ ...kept, ...modified, 'x-user': sent['x-select'] ?? '' });
      model.read({ method, ...asUser('c') });
      await model.pass(2_000);
      const readers = ['b', 'c'].map(user => model.read({ method: 'GET', ...asUser(user) }));
      await model.pass(2_000);
      expect(readers.map(reader => reader.result?.outcome?.how)).toEqual([
        'hit',
        method === 'GET' ? 'hit' : undefined,
      ]);
      expect(fieldOf(readers[1], 'x-user')).toBe('c');
    },
  );

  it.each([
    ['that is private', { 'cache-control': 'private', vary: 'x-select' }, 200],
    ['that is gone', { 'cache-control': 'no-store' }, 410],
  ])('what comes whole %s ends what was held', async (_, fields, status) => {
    const policy = { staleIfErrorMs: 600_000, staleWhileRevalidateMs: 600_000 };
    const model = new WebModel(() => pageAnswer({ 'cache-control': 'max-age=1', ...modified }), policy);
    model.read({ method: 'GET', ...asUser('a') });
    await model.pass(3_000);
    model.origin.answer = confirmingWith(
      { ...anew, ...modified, vary: 'x-select' },
      pageAnswer(fields, { status }),
    );
    await readBy(model, 'b');
    model.origin.answer = () => pageAnswer({}, { status: 503 });
    const reader = await readBy(model, 'a');
    expect(reader.result?.status).toBe(503);
  });

  it('it is served where the origin fails to those who are not known to select another', async () => {
    const model = new WebModel(() => pageAnswer({ ...anew, ...modified }), { staleIfErrorMs: 600_000 });
    await readBy(model, 'a');
    model.origin.answer = confirmingWith(
      { ...anew, ...modified, vary: 'x-select' },
      pageAnswer({}, { status: 503 }),
    );
    const other = await readBy(model, 'b');
    model.origin.answer = () => pageAnswer({}, { status: 503 });
    const same = await readBy(model, 'a');
    expect([other.result?.status, same.result?.status]).toEqual([503, 200]);
  });
});

it.each(['"1"', 'W/"1"'])(
  'a list of up to 1 KiB that the origin repeats is confirmed: with the tag %s',
  async etag => {
    const vary = Array.from({ length: 30 }, (_, number) => `x-${'name'.repeat(6)}-${number}`).join();
    expect(vary.length).toBeGreaterThan(512);
    const model = new WebModel((_, sent) =>
      pageAnswer({ ...anew, etag, vary }, { status: 'if-none-match' in sent ? 304 : 200 }),
    );
    const readers: ModelReader[] = [];
    for (const user of ['a', 'a']) {
      readers.push(model.read({ method: 'GET', ...asUser(user) }));
      await model.pass(2_000);
    }
    expect([model.origin.questions.length, fieldOf(readers[1], 'vary')]).toEqual([2, vary]);
  },
);

it('variants that name more fields together than there may be are confirmed each by its own', async () => {
  const listOf = (user: string) => Array.from({ length: 17 }, (_, number) => `x-${user}${number}`).join();
  const model = new WebModel((_, sent) =>
    pageAnswer(
      { ...anew, ...modified, vary: `x-select,${listOf(sent['x-select'] ?? '')}` },
      { status: 'if-modified-since' in sent ? 304 : 200 },
    ),
  );
  for (const user of ['a', 'b', 'a', 'b']) {
    model.read({ method: 'GET', ...asUser(user) });
    await model.pass(2_000);
  }
  expect(model.origin.questions).toHaveLength(4);
});

it('a part is described by another of the very same content', () => {
  const part = { answer: { status: 206, vary: [ASKED_RANGE] }, entityTag: 'W/"1"', fields: [], sizeBytes: 2 };
  const head = readWebHead({ status: 206, fields: [{ name: 'etag', value: 'W/"1"', store: false }] });
  expect(described(part as unknown as ReadableRecord, head, [])).toBe('same');
});
