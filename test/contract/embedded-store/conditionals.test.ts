import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';
import { conditionRows, everyCombination, namedConditions } from '../../support/semantics/condition-rows.ts';

let store: StoreUnderTest;
let etag: string;
let modifiedMs: number;
const httpDate = (ms: number) => new Date(ms).toUTCString();

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  store.clock.advance(500);
  modifiedMs = Math.floor(store.clock.nowMs() / 1000) * 1000;
  const headers = { 'x-amz-acl': 'public-read', 'cache-control': 'no-cache', expires: 'never' };
  const put = await store.put('/box/k', '0123456789', headers);
  etag = put.headers.etag ?? '';
  store.clock.advance(60_000);
});
afterAll(() => store.stop());

const object = () => ({ etag, modifiedMs, nowMs: store.clock.nowMs() });

describe('docs/semantics.md, section 3', () => {
  it.each(conditionRows)('row $row: $status for $names', async row => {
    const { status } = row;
    const headers = row.headers(object());
    const reply = await store.raw({ path: '/box/k', headers });
    expect(reply.status).toBe(status);
    const head = await store.raw({ method: 'HEAD', path: '/box/k', headers });
    expect(head).toMatchObject({ status, text: '' });
  });

  it.each(namedConditions)('rows 59 and 68: the refusal names %s', async (condition, headers) => {
    const { text } = await store.raw({ path: '/box/k', headers: headers(object()) });
    expect(xmlText(text, 'Code')).toBe('PreconditionFailed');
    expect(xmlText(text, 'Message')).toBe('At least one of the pre-conditions you specified did not hold');
    expect(xmlText(text, 'Condition')).toBe(condition);
  });

  it('row 85: 304 carries validators and freshness, and says nothing of the content', async () => {
    const { headers } = await store.raw({ path: '/box/k', headers: { 'if-none-match': etag } });
    expect(headers).toMatchObject({
      etag,
      'last-modified': httpDate(modifiedMs),
      'cache-control': 'no-cache',
      expires: 'never',
    });
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/^content-|checksum/);
  });

  it('row 87: a condition on a missing key is a missing key', async () => {
    const reply = await store.signed({ path: '/box/none', headers: { 'if-match': '"x"' } });
    expect(reply.status).toBe(404);
    expect(xmlText(reply.text, 'Code')).toBe('NoSuchKey');
  });

  it('row 286: all 81 combinations follow the two rules', async () => {
    expect(everyCombination).toHaveLength(81);
    for (const combination of everyCombination) {
      const headers = combination.headers(object());
      const { status } = await store.raw({ path: '/box/k', headers });
      expect({ headers, status }).toEqual({ headers, status: combination.status });
    }
  });
});
