import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';

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

const EARLIER = -10_000;
const LATER = 10_000;

type Conditions = Record<string, () => string>;
const resolve = (conditions: Conditions) =>
  Object.fromEntries(Object.entries(conditions).map(([name, value]) => [name, value()]));
const current = () => etag;
const other = () => '"other"';
const since = (deltaMs: number) => () => httpDate(modifiedMs + deltaMs);

describe('docs/semantics.md, section 3', () => {
  it.each<[number, number, Conditions]>([
    [56, 200, { 'if-match': current }],
    [57, 200, { 'if-match': () => etag.slice(1, -1) }],
    [58, 304, { 'if-none-match': () => etag.slice(1, -1) }],
    [59, 412, { 'if-match': other }],
    [61, 200, { 'if-match': () => '*' }],
    [62, 304, { 'if-none-match': () => '*' }],
    [63, 304, { 'if-match': () => '*', 'if-none-match': () => '*' }],
    [64, 200, { 'if-match': () => `"x", ${etag}` }],
    [64, 200, { 'if-match': () => `"x",${etag}` }],
    [65, 304, { 'if-none-match': () => `"x", ${etag}, "y"` }],
    [66, 304, { 'if-none-match': () => `W/${etag}` }],
    [67, 412, { 'if-match': () => `W/${etag}` }],
    [68, 412, { 'if-unmodified-since': since(EARLIER) }],
    [69, 304, { 'if-modified-since': since(LATER) }],
    [70, 304, { 'if-modified-since': since(0) }],
    [71, 200, { 'if-unmodified-since': since(0) }],
    [72, 200, { 'if-match': current, 'if-unmodified-since': since(EARLIER) }],
    [73, 304, { 'if-match': current, 'if-modified-since': since(LATER) }],
    [74, 412, { 'if-match': other, 'if-none-match': current }],
    [75, 412, { 'if-unmodified-since': since(EARLIER), 'if-none-match': current }],
    [76, 412, { 'if-unmodified-since': since(EARLIER), 'if-none-match': other }],
    [77, 200, { 'if-none-match': other, 'if-modified-since': since(LATER) }],
    [78, 304, { 'if-none-match': current, 'if-modified-since': since(EARLIER) }],
    [79, 200, { 'if-modified-since': () => httpDate(store.clock.nowMs() + 86_400_000) }],
    [80, 200, { 'if-unmodified-since': () => httpDate(store.clock.nowMs() + 86_400_000) }],
    [81, 200, { 'if-modified-since': () => 'yesterday' }],
    [82, 200, { 'if-unmodified-since': () => 'yesterday' }],
    [83, 304, { 'if-modified-since': () => new Date(modifiedMs).toISOString() }],
    [84, 304, { 'if-modified-since': () => httpDate(modifiedMs).replace(/^.../, 'Mon') }],
    [92, 200, { 'if-match': () => '' }],
    [285, 304, { 'if-match': current, 'if-none-match': current }],
  ])('row %i: %i for %j', async (_row, status, conditions) => {
    const headers = resolve(conditions);
    const reply = await store.raw({ path: '/box/k', headers });
    expect(reply.status).toBe(status);
    const head = await store.raw({ method: 'HEAD', path: '/box/k', headers });
    expect(head).toMatchObject({ status, text: '' });
  });

  it.each([
    ['If-Match', { 'if-match': other, 'if-unmodified-since': since(EARLIER) }],
    ['If-Unmodified-Since', { 'if-unmodified-since': since(EARLIER) }],
  ])('rows 59 and 68: the refusal names %s', async (condition, conditions) => {
    const { text } = await store.raw({ path: '/box/k', headers: resolve(conditions) });
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
    const forms = {
      'if-match': { true: current, false: other },
      'if-unmodified-since': { true: since(LATER), false: since(EARLIER) },
      'if-none-match': { true: other, false: current },
      'if-modified-since': { true: since(EARLIER), false: since(LATER) },
    };
    const truths = ['absent', 'true', 'false'] as const;
    for (const im of truths) {
      for (const ius of truths) {
        for (const inm of truths) {
          for (const ims of truths) {
            const headers: Record<string, string> = {};
            if (im !== 'absent') headers['if-match'] = forms['if-match'][im]();
            if (ius !== 'absent') headers['if-unmodified-since'] = forms['if-unmodified-since'][ius]();
            if (inm !== 'absent') headers['if-none-match'] = forms['if-none-match'][inm]();
            if (ims !== 'absent') headers['if-modified-since'] = forms['if-modified-since'][ims]();
            const failed = im === 'false' || (im === 'absent' && ius === 'false');
            const unchanged = inm === 'false' || (inm === 'absent' && ims === 'false');
            const expected = failed ? 412 : unchanged ? 304 : 200;
            const { status } = await store.raw({ path: '/box/k', headers });
            expect({ im, ius, inm, ims, status }).toEqual({ im, ius, inm, ims, status: expected });
          }
        }
      }
    }
  });
});
