import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoreRequest } from '../../../../src/backend/store.ts';
import type { HeaderField } from '../../../../src/s3/dialect.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { bucketOf, silentStore } from '../../../support/object-reads.ts';
import { type Asked, ObjectServerBench, TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';

let bench: ObjectServerBench;
let asked: StoreRequest[];
/** The status and further fields of the store's answer. */
let answer: { readonly status: number; readonly fields: readonly HeaderField[]; readonly body?: string };

beforeEach(async () => {
  asked = [];
  answer = { status: 200, fields: [] };
  bench = await ObjectServerBench.start();
  const received = { ...recordOf(new TextContent('')), receivedMs: bench.clock.nowMs() };
  bench.cached = { ...received, kind: 'uncacheable', tooLargeBytes: undefined };
});

afterEach(() => bench.close());

/** Says `hello` if nothing else is wanted, with fields that only some may see. */
const store: Store = {
  ...silentStore,
  send: (request, receiver) => {
    asked.push(request);
    const body = answer.body ?? 'hello';
    const fields = [
      ...[httpHeader('content-type', 'text/plain'), httpHeader('content-length', `${body.length}`)],
      { name: 'tagging-count', value: '2', store: true },
      { name: 'checksum-crc32', value: 'AAAAAA==', store: true },
    ];
    setImmediate(() => {
      receiver.answered({ status: answer.status, fields: [...fields, ...answer.fields] });
      if (request.method !== 'HEAD' && body !== '') receiver.arrived(Buffer.from(body));
      receiver.ended();
    });
    return { pause: () => undefined, resume: () => undefined, took: () => undefined, abort: () => undefined };
  },
};

const serve = (different: Asked = {}) =>
  bench.serve({ ...different, read: { bucket: bucketOf(store), ...different.read } });

it('an object that cannot be cached is passed on as the store sends it, and the client may see it', async () => {
  const { reply, exchange } = await serve();
  expect(reply).toMatchObject({ status: 200, text: 'hello' });
  expect(reply.headers).toMatchObject({
    'content-type': 'text/plain',
    'x-amz-tagging-count': '2',
    'cache-status': 'tidegate; fwd=bypass; detail=unkeepable',
  });
  expect(reply.headers).not.toHaveProperty('x-amz-checksum-crc32');
  expect(exchange.isOver).toBe(true);
});

it('what a client may not see of it is left out, and what it wants replaced is', async () => {
  const visibility = {
    checksums: true,
    taggingCount: false,
    legalHold: false,
    storeNames: true,
    targeted: true,
  };
  const overrides = [['Content-Type', 'image/png']] as const;
  const { reply } = await serve({ client: { visibility, overrides } });
  expect(reply.headers).toMatchObject({ 'content-type': 'image/png', 'x-amz-checksum-crc32': 'AAAAAA==' });
  expect(reply.headers).not.toHaveProperty('x-amz-tagging-count');
});

it('the store decides about its range, its conditions and its part', async () => {
  const conditions = {
    range: 'bytes=0-1',
    'if-range': '"t"',
    'if-match': '"t"',
    'if-none-match': '"u"',
    'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'if-unmodified-since': 'Fri, 02 Jan 2026 00:00:00 GMT',
  };
  await serve({ method: 'HEAD', headers: conditions, read: { partNumber: 2 } });
  const [request] = asked;
  expect(request).toMatchObject({ method: 'HEAD', bucket: 'b', key: 'k', query: 'partNumber=2' });
  expect(request?.fields).toEqual([
    { name: 'checksum-mode', value: 'ENABLED', store: true },
    ...Object.entries(conditions).map(([name, value]) => httpHeader(name, value)),
  ]);
});

it('a plain read has no conditions', async () => {
  await serve();
  expect(asked.map(({ fields }) => fields)).toEqual([
    [{ name: 'checksum-mode', value: 'ENABLED', store: true }],
  ]);
});

it("row 164: a read with a customer's key takes it to the store, and nothing from the cache", async () => {
  const key = { key: 'c2VjcmV0', keyMd5: 'bWQ1' };
  const { reply } = await bench.serveSealed(key, { read: { bucket: bucketOf(store) } });
  expect(reply.headers['cache-status']).toBe('tidegate; fwd=bypass; detail=sse-c');
  expect(reply.text).toBe('hello');
  expect(bench.told).toEqual([]);
  const name = 'server-side-encryption-customer';
  expect(asked[0]?.fields).toEqual([
    { name: 'checksum-mode', value: 'ENABLED', store: true },
    { name: `${name}-algorithm`, value: 'AES256', store: true },
    { name: `${name}-key`, value: 'c2VjcmV0', store: true },
    { name: `${name}-key-md5`, value: 'bWQ1', store: true },
  ]);
});

const contentRange = (value: string) => [httpHeader('content-range', value)];
const modifiedSince = { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' };

it.each([
  ['a 304 without a condition', {}, 304, []],
  ['a 206 without a range', {}, 206, contentRange('bytes 0-4/10')],
  ['a 206 that does not say of which range', { range: 'bytes=0-4' }, 206, []],
  ['a 206 that does not say which last bytes it is of', { range: 'bytes=-5' }, 206, []],
  ['a 206 of another range', { range: 'bytes=1-5' }, 206, contentRange('bytes 0-4/10')],
  ['a 206 of more', { range: 'bytes=0-3' }, 206, contentRange('bytes 0-4/10')],
  ['a 206 of less', { range: 'bytes=0-5' }, 206, contentRange('bytes 0-4/10')],
  ['a 206 of other bytes than the last', { range: 'bytes=-5' }, 206, contentRange('bytes 0-4/10')],
  ['a 206 of more than the last bytes', { range: 'bytes=-4' }, 206, contentRange('bytes 5-9/10')],
  ['a 200 of some bytes alone', { range: 'bytes=5-9' }, 200, contentRange('bytes 5-9/10')],
])('what cannot answer the request is not given on: %s', async (_what, headers, status, fields) => {
  answer = { status, fields };
  const { reply } = await serve({ headers });
  expect(reply.status).toBe(502);
  expect(reply.text).not.toContain('hello');
});

it.each([
  ['of the range', { range: 'bytes=2-' }, contentRange('bytes 2-6/7')],
  ['of the last bytes', { range: 'bytes=-5' }, contentRange('bytes 2-6/7')],
  ['of a range of an unknown whole', { range: 'bytes=2-' }, contentRange('bytes 2-6/*')],
  [
    'whose numbers are not exact',
    { range: 'bytes=9007199254740992-' },
    contentRange('bytes 9007199254740992-9007199254740996/9007199254740997'),
  ],
  ['of several ranges', { range: 'bytes=0-1,4-5' }, []],
])('a 206 %s is', async (_what, headers, fields) => {
  answer = { status: 206, fields };
  expect((await serve({ headers })).reply).toMatchObject({ status: 206, text: 'hello' });
});

const nothing = { status: 206, fields: contentRange('bytes 0--1/0'), body: '' };

it('row 25: so is an empty 206 of the last bytes of an empty object', async () => {
  answer = nothing;
  expect((await serve({ headers: { range: 'bytes=-5' } })).reply).toMatchObject({ status: 206, text: '' });
});

it('but not of its first, of which it has none', async () => {
  answer = nothing;
  expect((await serve({ headers: { range: 'bytes=0-4' } })).reply.status).toBe(502);
});

it('so is a 206 of a part, and a 304 to a condition', async () => {
  answer = { status: 206, fields: contentRange('bytes 5-9/10') };
  expect((await serve({ read: { partNumber: 2 } })).reply).toMatchObject({ status: 206, text: 'hello' });
  answer = { status: 304, fields: [] };
  expect((await serve({ method: 'HEAD', headers: modifiedSince })).reply.status).toBe(304);
  expect((await serve({ method: 'HEAD', headers: { 'if-none-match': '"t"' } })).reply.status).toBe(304);
});

describe('row 53 and Decided 5: a 206 to a question for a part', () => {
  const askPart = async (partNumber: number, fields: ReturnType<typeof contentRange>, method?: 'HEAD') => {
    answer = { status: 206, fields };
    return (await serve({ read: { partNumber }, ...(method && { method }) })).reply.status;
  };

  it('is not given on where it is not the first one', async () => {
    expect(await askPart(1, contentRange('bytes 5-9/10'))).toBe(502);
    expect(await askPart(1, contentRange('bytes 5-9/10'), 'HEAD')).toBe(502);
    expect(await askPart(1, contentRange('bytes 0-4/10'))).toBe(206);
    expect(await askPart(1, contentRange('bytes 0-4/10'), 'HEAD')).toBe(206);
  });

  it('is not where it does not say where its bytes lie, if it has any', async () => {
    expect(await askPart(1, [])).toBe(502);
    expect(await askPart(2, [])).toBe(502);
    expect(await askPart(2, [], 'HEAD')).toBe(206);
    answer = { status: 206, fields: [], body: '' };
    expect((await serve({ read: { partNumber: 1 } })).reply).toMatchObject({ status: 206, text: '' });
  });
});
