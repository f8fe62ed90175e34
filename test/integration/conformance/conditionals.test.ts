import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossedDialects, Lab } from '../../support/conformance/lab.ts';
import { comparable } from '../../support/conformance/reply.ts';

const httpDate = (ms: number) => new Date(ms).toUTCString();
const earlier = -10_000;
const later = 10_000;
const dayMs = 86_400_000;

describe.each(crossedDialects)('docs/semantics.md, section 3: $client before $store', dialects => {
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

  type Conditions = Readonly<Record<string, () => string>>;
  const resolve = (conditions: Conditions) =>
    Object.fromEntries(Object.entries(conditions).map(([name, value]) => [name, value()]));
  const current = () => etag;
  const other = () => '"other"';
  const since = (deltaMs: number) => () => httpDate(modifiedMs + deltaMs);
  const fromNow = (deltaMs: number) => () => httpDate(lab.store.clock.nowMs() + deltaMs);

  const rows: readonly [number | string, number, Conditions][] = [
    [56, 200, { 'if-match': current }],
    [57, 200, { 'if-match': () => etag.slice(1, -1) }],
    [58, 304, { 'if-none-match': () => etag.slice(1, -1) }],
    ['59 and 60', 412, { 'if-match': other }],
    [61, 200, { 'if-match': () => '*' }],
    [62, 304, { 'if-none-match': () => '*' }],
    [63, 304, { 'if-match': () => '*', 'if-none-match': () => '*' }],
    [64, 200, { 'if-match': () => `"x", ${etag}` }],
    [64, 200, { 'if-match': () => `"x",${etag}` }],
    [65, 304, { 'if-none-match': () => `"x", ${etag}, "y"` }],
    [66, 304, { 'if-none-match': () => `W/${etag}` }],
    [67, 412, { 'if-match': () => `W/${etag}` }],
    [68, 412, { 'if-unmodified-since': since(earlier) }],
    [69, 304, { 'if-modified-since': since(later) }],
    [70, 304, { 'if-modified-since': since(0) }],
    [71, 200, { 'if-unmodified-since': since(0) }],
    [72, 200, { 'if-match': current, 'if-unmodified-since': since(earlier) }],
    [73, 304, { 'if-match': current, 'if-modified-since': since(later) }],
    [74, 412, { 'if-match': other, 'if-none-match': current }],
    [75, 412, { 'if-unmodified-since': since(earlier), 'if-none-match': current }],
    [76, 412, { 'if-unmodified-since': since(earlier), 'if-none-match': other }],
    [77, 200, { 'if-none-match': other, 'if-modified-since': since(later) }],
    [78, 304, { 'if-none-match': current, 'if-modified-since': since(earlier) }],
    [79, 200, { 'if-modified-since': fromNow(dayMs) }],
    [80, 200, { 'if-unmodified-since': fromNow(dayMs) }],
    [81, 200, { 'if-modified-since': () => 'yesterday' }],
    [82, 200, { 'if-unmodified-since': () => 'yesterday' }],
    [83, 304, { 'if-modified-since': () => new Date(modifiedMs).toISOString() }],
    [83, 412, { 'if-unmodified-since': () => new Date(modifiedMs + earlier).toISOString() }],
    [83, 304, { 'if-modified-since': () => rfc850Date(modifiedMs) }],
    [83, 304, { 'if-modified-since': () => asctimeDate(modifiedMs) }],
    [84, 304, { 'if-modified-since': () => httpDate(modifiedMs).replace(/^\w+/, 'Mon') }],
    [84, 200, { 'if-modified-since': () => httpDate(modifiedMs).replace('GMT', '+0100') }],
    [92, 200, { 'if-match': () => '' }],
    [285, 304, { 'if-match': current, 'if-none-match': current }],
  ];
  const named = rows.map(([row, status, conditions]) => {
    return { row, status, conditions, names: Object.keys(conditions).join(' and ') };
  });
  it.each(named)('row $row: $status for $names', async ({ status, conditions }) => {
    const headers = resolve(conditions);
    const { reply, cache } = await lab.agree({ path: '/box/k', headers });
    expect(reply.status).toBe(status);
    expect(cache).toMatchObject({ cold: 'MISS', again: 'HIT', 'after GET': 'HIT' });
    const head = await lab.agree({ method: 'HEAD', path: '/box/k', headers });
    expect(head.reply).toMatchObject({ status, text: '' });
    expect(head.cache['after HEAD']).toBe('HIT');
  });

  it.each([
    ['If-Match', { 'if-match': other, 'if-unmodified-since': since(earlier) }],
    ['If-Unmodified-Since', { 'if-unmodified-since': since(earlier) }],
  ])('rows 59, 68, 91 and 211: the refusal names %s', async (condition, conditions) => {
    const { reply } = await lab.agree({ path: '/box/k', headers: resolve(conditions) });
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
    const forms: Record<string, Record<'true' | 'false', () => string>> = {
      'if-match': { true: current, false: other },
      'if-unmodified-since': { true: since(later), false: since(earlier) },
      'if-none-match': { true: other, false: current },
      'if-modified-since': { true: since(earlier), false: since(later) },
    };
    for (const [im, ius, inm, ims] of everyTruth()) {
      const headers: Record<string, string> = {};
      for (const [name, truth] of Object.entries({
        'if-match': im,
        'if-unmodified-since': ius,
        'if-none-match': inm,
        'if-modified-since': ims,
      })) {
        if (truth !== 'absent') headers[name] = forms[name]?.[truth]() ?? '';
      }
      const failed = im === 'false' || (im === 'absent' && ius === 'false');
      const unchanged = inm === 'false' || (inm === 'absent' && ims === 'false');
      const status = failed ? 412 : unchanged ? 304 : 200;
      const question = { path: '/box/k', headers };
      const reply = await lab.askStore(question);
      expect({ headers, status: reply.status }).toEqual({ headers, status });
      lab.forget();
      expect(comparable(await lab.ask(question)), JSON.stringify(headers)).toEqual(comparable(reply));
      expect(comparable(await lab.ask(question)), JSON.stringify(headers)).toEqual(comparable(reply));
    }
  });
});

type Truth = 'absent' | 'true' | 'false';
const truths: readonly Truth[] = ['absent', 'true', 'false'];

function everyTruth(): (readonly [Truth, Truth, Truth, Truth])[] {
  return truths.flatMap(a =>
    truths.flatMap(b => truths.flatMap(c => truths.map(d => [a, b, c, d] as const))),
  );
}

/** RFC 9110 §5.6.7, obsolete forms. */
function rfc850Date(ms: number): string {
  const [, day, month, year, time] = /, (\d\d) (\w+) \d\d(\d\d) ([\d:]+)/.exec(httpDate(ms)) ?? [];
  const weekday = new Date(ms).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year} ${time} GMT`;
}

function asctimeDate(ms: number): string {
  const [, weekday, day = '', month, year, time] =
    /(\w+), (\d\d) (\w+) (\d+) ([\d:]+)/.exec(httpDate(ms)) ?? [];
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}
