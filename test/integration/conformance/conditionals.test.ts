import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { comparable } from '../../support/conformance/reply.ts';
import { conditionRows, everyCombination, namedConditions } from '../../support/semantics/condition-rows.ts';

const httpDate = (ms: number) => new Date(ms).toUTCString();
describe.each(crossedDialects)('docs/semantics.md, section 3: $client before $store, $over', dialects => {
  let lab: Lab;
  let etag: string;
  let modifiedMs: number;

  beforeAll(async () => {
    lab = await Lab.start({ dialects, buckets: { box: {} } });
    await lab.store.put('/box');
    lab.store.clock.advance(500);
    modifiedMs = Math.floor(lab.store.clock.nowMs() / 1000) * 1000;
    const headers = { 'cache-control': 'max-age=600', expires: 'never', 'content-language': 'de' };
    etag = (await lab.store.put('/box/k', '0123456789', headers)).headers.etag ?? '';
    await lab.store.put('/box/cold', 'x', { 'x-amz-storage-class': 'GLACIER' });
    lab.store.clock.advance(60_000);
  });
  afterAll(() => lab.stop());

  const object = () => ({ etag, modifiedMs, nowMs: lab.store.clock.nowMs() });

  it.each(conditionRows)('row $row: $status for $names', async row => {
    const { status } = row;
    const headers = row.headers(object());
    const { reply, cache } = await lab.agree({ path: '/box/k', headers });
    expect(reply.status).toBe(status);
    expect(cache).toMatchObject({ cold: 'MISS', again: 'HIT', 'after GET': 'HIT' });
    const head = await lab.agree({ method: 'HEAD', path: '/box/k', headers });
    expect(head.reply).toMatchObject({ status, text: '' });
    expect(head.cache['after HEAD']).toBe('HIT');
  });

  it.each(namedConditions)('rows 59, 68, 91 and 211: the refusal names %s', async (condition, headers) => {
    const { reply } = await lab.agree({ path: '/box/k', headers: headers(object()) });
    expect(reply.error).toEqual({
      code: 'PreconditionFailed',
      message: 'At least one of the pre-conditions you specified did not hold',
      fields: { Condition: condition },
    });
  });

  it('rows 85 and 86 and Decided 6: 304 carries validators and freshness, and nothing of the content', async () => {
    const { reply } = await lab.agree({
      path: '/box/k',
      headers: { 'if-none-match': etag },
      fields: { 'checksum-mode': 'ENABLED' },
    });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers).toMatchObject({
      etag,
      'last-modified': httpDate(modifiedMs),
      'cache-control': 'max-age=600',
      expires: 'never',
    });
    for (const name of Object.keys(reply.headers)) expect(name).not.toMatch(/^content-/);
    for (const name of Object.keys(reply.fields)) expect(name).not.toMatch(/checksum|meta|encryption/);
  });

  it('row 87: a condition on a missing key is a missing key', async () => {
    for (const headers of [{ 'if-match': '"x"' }, { 'if-none-match': '*' }]) {
      const { reply } = await lab.agree({ path: '/box/none', headers });
      expect(reply).toMatchObject({ status: 404, error: { code: 'NoSuchKey' } });
    }
  });

  it('row 89: an archived object comes before conditions to GET, and after them to HEAD', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await lab.agree({ path: '/box/cold', headers })).reply.status).toBe(403);
    expect((await lab.agree({ method: 'HEAD', path: '/box/cold', headers })).reply.status).toBe(304);
  });

  it('conditions never ride on the question to the store: one answer serves all of them', async () => {
    lab.forget();
    const before = await lab.requests();
    for (const headers of [{ 'if-none-match': etag }, { 'if-match': '"x"' }, {}, { 'if-match': etag }]) {
      await lab.ask({ path: '/box/k', headers });
    }
    expect(await lab.requests()).toBe(before + 1);
  });

  it('row 286: all 81 combinations follow the two rules', async () => {
    expect(everyCombination).toHaveLength(81);
    for (const combination of everyCombination) {
      const { status } = combination;
      const headers = combination.headers(object());
      const question = { path: '/box/k', headers };
      const reply = await lab.askStore(question);
      expect({ headers, status: reply.status }).toEqual({ headers, status });
      lab.forget();
      expect(comparable(await lab.ask(question)), JSON.stringify(headers)).toEqual(comparable(reply));
      expect(comparable(await lab.ask(question)), JSON.stringify(headers)).toEqual(comparable(reply));
    }
  });
});
