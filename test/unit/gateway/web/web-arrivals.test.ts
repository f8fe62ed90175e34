import { describe, expect, it } from 'vitest';
import { type ModelRequest, pageAnswer, WebModel } from '../../../support/web-model.ts';

const forAll = { 'cache-control': 'max-age=60' };

function client(model: WebModel, different: Partial<ModelRequest> = {}) {
  return model.read({ method: 'GET', quota: 'a', fields: {}, ...different });
}

describe('an answer to a POST that is the content of its target (RFC 9110 §9.3.3)', () => {
  const grouped = { 'content-location': '/page', 'cache-groups': '"g"' };

  /** The conditions with which a page is asked for that is read after the answer to a POST of it, which ends after 800 ms. */
  async function readAfterPost(fields: Record<string, string>, meanwhile: (model: WebModel) => void, ms = 0) {
    const model = new WebModel((method, { 'x-end': end }, target) => {
      if (target === '/group') return pageAnswer({ 'cache-group-invalidation': '"g"' }, { headMs: 0 });
      if (method === 'GET' || end) return pageAnswer(forAll, { headMs: 0 });
      return pageAnswer({ ...grouped, ...fields }, { bodyMs: 500 });
    });
    client(model, { method: 'POST' });
    model.clock.after(ms, () => meanwhile(model));
    await model.pass(1_000);
    client(model);
    await model.pass(100);
    const asked = model.origin.questions.filter(({ method }) => method === 'GET');
    return asked.map(({ fields }) => fields['if-none-match']);
  }

  it.each([
    ['is kept for GET', { 'cache-control': 'max-age=60' }, []],
    ['is kept for GET', { 'cache-control': 's-maxage=60' }, []],
    ['is not kept, though its tag could be confirmed,', { etag: 'W/"1"' }, [undefined]],
  ])('%s where it says %j', async (_, fields: Record<string, string>, asked) => {
    expect(await readAfterPost(fields, () => undefined)).toEqual(asked);
  });

  describe.each([
    ['head', 200],
    ['end', 600],
  ])('is not kept where before its %s', (_what, ms) => {
    it.each<[string, (model: WebModel) => void]>([
      ['its name is purged', model => model.purge()],
      ['something is written there', model => client(model, { method: 'POST', fields: { 'x-end': '1' } })],
      ['its group is ended', model => client(model, { method: 'POST', path: '/group' })],
    ])('%s (law 5)', async (_, meanwhile) => {
      expect(await readAfterPost(forAll, meanwhile, ms)).toEqual([undefined]);
    });
  });
});

it('what HEAD has found to be outdated is a hit again once the origin has confirmed it, and given where that fails', async () => {
  let isDown = false;
  const model = new WebModel(
    (method, sent) => {
      if (isDown) return pageAnswer({}, { status: 503 });
      const status = sent['if-none-match'] ? 304 : 200;
      return pageAnswer({ ...forAll, etag: method === 'HEAD' ? 'W/"2"' : 'W/"1"' }, { status });
    },
    { staleIfErrorMs: 600_000 },
  );
  client(model);
  await model.pass(500);
  client(model, { method: 'HEAD', fields: { 'cache-control': 'no-cache' } });
  await model.pass(500);
  client(model);
  await model.pass(500);
  expect(model.origin.questions.map(({ method }) => method)).toEqual(['GET', 'HEAD', 'GET']);
  const last = client(model);
  expect([last.result?.outcome?.how, model.origin.questions.length]).toEqual(['hit', 3]);
  isDown = true;
  await model.pass(61_000);
  const stale = client(model);
  await model.pass(500);
  expect(stale.result?.outcome?.how).toBe('stale');
});
