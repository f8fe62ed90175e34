import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError, type WholeReply } from '../../../../src/backend/store.ts';
import type { ReadableRecord, RefusedRecord } from '../../../../src/cache/record.ts';
import {
  InvalidReplyError,
  ObjectChangedError,
  OwnerLostError,
  RefusedByStoreError,
} from '../../../../src/gateway/fill/fill-error.ts';
import type { LookupResult } from '../../../../src/gateway/read/object-source.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { type Asked, ObjectServerBench, TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';

const text = '0123456789';
const origin = 'https://app.test';
const allowOrigin = httpHeader('access-control-allow-origin', origin);
let bench: ObjectServerBench;
let content: TextContent;

beforeEach(async () => {
  bench = await ObjectServerBench.start();
  content = new TextContent(text);
});

afterEach(() => bench.close());

/** A record of the content that was received now. */
function readable(different: Partial<ReadableRecord> = {}): ReadableRecord {
  const fields = [httpHeader('etag', '"t"'), httpHeader('content-type', 'text/plain'), allowOrigin];
  return { ...recordOf(content), receivedMs: bench.clock.nowMs(), fields, ...different };
}

function refused(status: number, code: string): RefusedRecord {
  const body = Buffer.from(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
  return { ...readable(), fields: [allowOrigin], kind: 'refused', isNegative: true, status, body };
}

/** What a look-up that asked the store finds. */
function fetched(record: LookupResult['record'], different: Partial<LookupResult> = {}): LookupResult {
  const how = { how: 'fetched', forwarded: 'uri-miss', forwardStatus: 200 } as const;
  return { record, ...how, isCollapsed: false, isStored: true, isCharged: false, ...different };
}

function replyOf(status: number, code: string, charged = false): WholeReply {
  const fields = charged ? [{ name: 'request-charged', value: 'requester', store: true }] : [];
  return { status, fields, body: Buffer.from(`<Error><Code>${code}</Code><Message>No.</Message></Error>`) };
}

describe('an object in memory', () => {
  it('is answered with its age, and how long it stays fresh', async () => {
    bench.cached = readable();
    bench.clock.advance(2_500);
    const { reply, exchange } = await bench.serve();
    expect(reply).toMatchObject({ status: 200, text });
    expect(reply.headers).toMatchObject({ age: '2', etag: '"t"', 'cache-status': 'tidegate; hit; ttl=58' });
    expect([exchange.isOver, exchange.bodyBytes, exchange.report.result, bench.told]).toEqual([
      ...[true, text.length, 'HIT'],
      [],
    ]);
  });

  it('that was just fetched has no age', async () => {
    bench.finds.push(fetched(readable()));
    const { reply } = await bench.serve();
    expect(reply.headers).not.toHaveProperty('age');
    expect(reply.headers['cache-status']).toBe('tidegate; fwd=uri-miss; fwd-status=200; stored');
    expect(bench.told).toEqual(['find GET']);
  });

  it('that is served though it is no longer fresh has no time left', async () => {
    const record = readable({ receivedMs: bench.clock.nowMs() - 61_000 });
    bench.finds.push(fetched(record, { how: 'hit' }));
    const { reply } = await bench.serve();
    expect(reply.headers).toMatchObject({ age: '61', 'cache-status': 'tidegate; hit; ttl=0' });
  });

  it.each<[string, Asked, number, string]>([
    ['a range', { headers: { range: 'bytes=2-4' } }, 206, '234'],
    ['a suffix', { headers: { range: 'bytes=-3' } }, 206, '789'],
    ['a range of this content', { headers: { range: 'bytes=2-4', 'if-range': '"t"' } }, 206, '234'],
    ['a range of another content', { headers: { range: 'bytes=2-4', 'if-range': '"u"' } }, 200, text],
    ['its head', { method: 'HEAD' }, 200, ''],
    ['it if it is this one', { headers: { 'if-match': '"t"' } }, 200, text],
    ['another one', { headers: { 'if-none-match': '"u"' } }, 200, text],
  ])('is asked for %s', async (_, asked, status, body) => {
    bench.cached = readable();
    const { reply } = await bench.serve(asked);
    expect(reply).toMatchObject({ status, text: body });
    expect(reply.headers['content-type']).toBe('text/plain');
  });

  it.each<[string, Asked['headers'], number, string]>([
    ['RFC 9110 §14.1.2: nothing of it', { range: 'bytes=10-' }, 416, 'InvalidRange'],
    ['RFC 9110 §13.1.1: another content', { 'if-match': '"u"' }, 412, 'PreconditionFailed'],
  ])(
    '%s is refused, with what it says of origins and what the cache did',
    async (_, headers, status, code) => {
      bench.cached = readable();
      const { reply, exchange } = await bench.serve({ headers: { ...headers } });
      expect(reply.status).toBe(status);
      expect(reply.text).toContain(`<Code>${code}</Code>`);
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'cache-status': 'tidegate; hit; ttl=60',
      });
      expect(reply.headers).not.toHaveProperty('etag');
      expect(exchange).toMatchObject({ isOver: true, refusedBy: 'gateway', errorCode: code });
    },
  );

  it('RFC 9110 §15.4.5: is not sent again to who has it', async () => {
    bench.cached = readable();
    const { reply, exchange } = await bench.serve({ headers: { 'if-none-match': '"t"' } });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers).toMatchObject({ etag: '"t"', 'cache-status': 'tidegate; hit; ttl=60' });
    expect(exchange.isOver).toBe(true);
  });
});

describe('a part', () => {
  const part = (partNumber: number): Asked => ({ read: { partNumber } });

  it('is answered with its bytes and how many there are', async () => {
    content.parts.learn(2, { first: 4, last: 6, checksums: [] }, 3);
    bench.cached = readable();
    const { reply } = await bench.serve(part(2));
    expect(reply).toMatchObject({ status: 206, text: '456' });
    expect(reply.headers).toMatchObject({
      'content-range': 'bytes 4-6/10',
      'x-amz-mp-parts-count': '3',
    });
  });

  it.each([
    [3, 'of three', 3],
    [undefined, 'of an object that was not uploaded in parts', 1],
  ])('that is not there is refused (%s: %s)', async (count, _, told) => {
    if (count !== undefined) content.parts.learn(2, { first: 4, last: 6, checksums: [] }, count);
    bench.finds.push(fetched(readable()));
    const { reply } = await bench.serve(part(9));
    expect(reply.status).toBe(416);
    expect(reply.text).toContain('<Code>InvalidPartNumber</Code>');
    expect(reply.text).toContain(`<ActualPartCount>${told}</ActualPartCount>`);
    expect(reply.headers['cache-status']).toContain('stored');
  });

  it('rows 40 and 47: of an empty object the first is the object, and there is no second', async () => {
    content = new TextContent('');
    bench.finds.push(fetched(readable()), fetched(readable()));
    expect((await bench.serve(part(1))).reply.status).toBe(200);
    expect((await bench.serve(part(2))).reply.status).toBe(416);
  });
});

describe('row 127: what the store charges for is told', () => {
  const charge = async (asked: Asked = {}) =>
    (await bench.serve(asked)).reply.headers['x-amz-request-charged'];

  it('when the answer was asked for, whatever the record says', async () => {
    bench.finds.push(fetched(readable(), { isCharged: true }), fetched(readable()));
    expect(await charge()).toBe('requester');
    expect(await charge()).toBeUndefined();
  });

  it('when bytes are missing that it will charge for', async () => {
    bench.cached = readable({ isCharged: true });
    expect(await charge()).toBeUndefined();
    content.parts.learn(2, { first: 4, last: 6, checksums: [] }, 3);
    // the head waits for bytes that never come, but whether they will cost something is known by then
    content.held = 'some';
    for (const asked of [{}, { headers: { range: 'bytes=0-1' } }, { read: { partNumber: 2 } }])
      expect((await bench.serve(asked)).exchange.isCharged).toBe(true);
    expect(await charge({ method: 'HEAD' })).toBeUndefined();
    bench.cached = readable();
    expect((await bench.serve()).exchange.isCharged).toBe(false);
    bench.cached = undefined;
    bench.finds.push(fetched(readable(), { isCharged: true }));
    expect((await bench.serve()).exchange.isCharged, 'its head was charged for').toBe(true);
  });

  it('when it refuses, and charges for that', async () => {
    bench.finds.push(new RefusedByStoreError(replyOf(403, 'AccessDenied', true)));
    const { reply, exchange } = await bench.serve();
    expect(reply.headers['x-amz-request-charged']).toBe('requester');
    expect(exchange.isCharged).toBe(true);
  });
});

describe('a refusal in memory', () => {
  it('is given in the words of the store, with its age', async () => {
    bench.cached = refused(404, 'NoSuchKey');
    bench.clock.advance(1_000);
    const { reply, exchange } = await bench.serve();
    expect(reply.status).toBe(404);
    expect(reply.text).toContain('<Code>NoSuchKey</Code>');
    expect(reply.headers).toMatchObject({ age: '1', 'cache-status': 'tidegate; hit; ttl=4' });
    expect(exchange).toMatchObject({ isOver: true, refusedBy: 'store' });
  });

  it('law 6: tells callers without ListBucket nothing of a missing key, and of others what they are', async () => {
    bench.cached = refused(404, 'NoSuchKey');
    const client = { mayKnowMissing: false };
    const { reply, exchange } = await bench.serve({ client });
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('<Code>AccessDenied</Code>');
    expect(reply.text).not.toMatch(/NoSuchKey|no such key/);
    expect(exchange.failure).toHaveProperty('reason', expect.stringContaining('no such key'));
    bench.cached = refused(403, 'InvalidObjectState');
    expect((await bench.serve({ client })).reply.text).toContain('<Code>InvalidObjectState</Code>');
  });
});

describe('a look-up that fails', () => {
  it('with a refusal gives that; there is no record that it could be about', async () => {
    bench.finds.push(new RefusedByStoreError(replyOf(403, 'AccessDenied')));
    const { reply, exchange } = await bench.serve();
    expect(reply.status).toBe(403);
    expect(reply.headers['cache-status']).toBe('tidegate; fwd=uri-miss; fwd-status=403');
    expect(bench.told).toEqual(['find GET']);
    expect(exchange).toMatchObject({ isOver: true, refusedBy: 'store', isCharged: false });
  });

  it.each([
    [new StoreError('TIMEOUT', 'too late', undefined), 504, 'tidegate; fwd=miss; detail=timeout'],
    [new InvalidReplyError('status 204'), 502, 'tidegate; fwd=miss; detail=wrong-answer'],
    [new ObjectChangedError('length'), 503, 'tidegate; fwd=bypass; detail=refused'],
  ])('with %s tells what it was', async (error, status, cacheStatus) => {
    bench.finds.push(error);
    const { reply, exchange } = await bench.serve();
    expect(reply.status).toBe(status);
    expect(reply.headers['cache-status']).toBe(cacheStatus);
    expect(exchange).toMatchObject({ isOver: true, failure: error });
  });

  it('with an unexpected exception is a fault', async () => {
    bench.finds.push(new TypeError('planted'));
    const { reply, exchange } = await bench.serve();
    expect(reply.status).toBe(500);
    expect(reply.headers.connection).toBe('close');
    expect(exchange.failure).toBeInstanceOf(TypeError);
  });
});

describe('an object that is missing in memory, of which the store', () => {
  beforeEach(() => {
    bench.cached = readable();
    content.held = 'none';
  });

  it('has another one by now, is looked up anew', async () => {
    content.failure = new ObjectChangedError('entity tag');
    const after = new TextContent('after');
    bench.finds.push(fetched({ ...recordOf(after), receivedMs: bench.clock.nowMs() }));
    const { reply } = await bench.serve();
    expect(reply).toMatchObject({ status: 200, text: 'after' });
    expect(bench.told).toEqual(['outdated', 'find GET']);
  });

  it('has another one each time, is given up after three further look-ups', async () => {
    content.failure = new ObjectChangedError('entity tag');
    for (let time = 0; time < 5; time++) bench.finds.push(fetched(readable()));
    const { reply } = await bench.serve();
    expect(reply.status).toBe(503);
    expect(bench.told.filter(word => word === 'find GET')).toHaveLength(3);
    expect(bench.told.filter(word => word === 'outdated')).toHaveLength(4);
  });

  it('was asked by a worker that died, is looked up anew and stays known', async () => {
    content.failure = new OwnerLostError('has died');
    bench.finds.push(fetched({ ...recordOf(new TextContent('again')), receivedMs: bench.clock.nowMs() }));
    expect((await bench.serve()).reply).toMatchObject({ status: 200, text: 'again' });
    expect(bench.told).toEqual(['find GET']);
  });

  it('says nothing, is not looked up anew', async () => {
    content.failure = new StoreError('TIMEOUT', 'too late', undefined);
    const { reply } = await bench.serve();
    expect(reply.status).toBe(504);
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': origin });
    // the record was a hit, whatever became of the bytes
    expect(reply.headers['cache-status']).toBe('tidegate; fwd=partial; stored');
    expect(bench.told).toEqual([]);
  });

  it.each<[string, Error, string[]]>([
    ['has another one by now', new ObjectChangedError('entity tag'), ['outdated']],
    ['refuses the rest', new RefusedByStoreError(replyOf(404, 'NoSuchKey')), ['refused with 404']],
    ['breaks off', new StoreError('BROKEN', 'cut', undefined), []],
  ])('%s after its first byte, is cut off, and that is learned', async (_, failure, told) => {
    content.beginning = text.slice(0, 3);
    content.failure = failure;
    await expect(bench.serve()).rejects.toThrow();
    expect(bench.told).toEqual(told);
  });

  it('refuses it, is refused with that', async () => {
    content.failure = new RefusedByStoreError(replyOf(404, 'NoSuchKey'));
    const { reply } = await bench.serve();
    expect(reply.status).toBe(404);
    expect(bench.told).toEqual(['refused with 404']);
  });
});
