import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlChildren, xmlText } from '../../support/embedded-store/xml-text.ts';

const DIGITS = '0123456789';
let store: StoreUnderTest;
let etag: string;
let modified: string;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  const headers = { 'x-amz-acl': 'public-read' };
  const put = await store.put('/box/ten', DIGITS, headers);
  await store.put('/box/hundred', DIGITS.repeat(10), headers);
  await store.put('/box/empty', '', headers);
  etag = put.headers.etag ?? '';
  modified = new Date(store.clock.nowMs()).toUTCString();
});
afterAll(() => store.stop());

const get = (key: string, headers: Record<string, string | string[]>, method = 'GET') =>
  store.raw({ method, path: `/box/${key}`, headers });

describe('docs/semantics.md, section 1: a range of ten bytes', () => {
  it.each([
    [1, 'bytes=0-8', 'bytes 0-8/10', '012345678'],
    [2, 'bytes=1-1', 'bytes 1-1/10', '1'],
    [2, 'bytes=0-0', 'bytes 0-0/10', '0'],
    [3, 'bytes=1-', 'bytes 1-9/10', '123456789'],
    [4, 'bytes=-2', 'bytes 8-9/10', '89'],
    [5, 'bytes=-15', 'bytes 0-9/10', DIGITS],
    [6, 'bytes=0-100', 'bytes 0-9/10', DIGITS],
    [7, 'bytes=0-', 'bytes 0-9/10', DIGITS],
    [7, 'bytes=0-9', 'bytes 0-9/10', DIGITS],
    [20, 'bytes=00-01', 'bytes 0-1/10', '01'],
    [22, 'Bytes=0-1', 'bytes 0-1/10', '01'],
  ])('row %i: %s selects %s', async (_row, range, contentRange, body) => {
    const reply = await get('ten', { range });
    expect(reply).toMatchObject({ status: 206, text: body });
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(body.length),
      'accept-ranges': 'bytes',
      etag,
    });
    const head = await get('ten', { range }, 'HEAD');
    expect(head).toMatchObject({ status: 206, text: '' });
    expect(head.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(body.length),
    });
  });

  it.each([
    [12, 'bytes=5-3'],
    [12, 'bytes=1-0'],
    [13, 'bytes=-1-'],
    [13, 'bytes=0--1'],
    [14, 'bytes=0-1,3-4,7-9'],
    [15, '0-1'],
    [16, 'foo=0-1'],
    [16, 'items=0-1'],
    [17, 'bytes=-'],
    [18, 'bytes='],
    [18, 'bytes=,'],
    [18, 'bytes=abc'],
    [18, 'bytes=a-z'],
    [18, 'bytes=100-x'],
    [19, 'bytes= -1'],
    [19, 'bytes=0 -1'],
    [21, 'bytes=+0-1'],
    [35, ['bytes=0-1', 'bytes=2-3']],
  ])('row %i: %j is no range, so the whole object comes', async (_row, range) => {
    const reply = await get('ten', { range });
    expect(reply).toMatchObject({ status: 200, text: DIGITS });
    expect(reply.headers['content-range']).toBeUndefined();
    expect(reply.headers['content-length']).toBe('10');
  });

  it.each([
    [9, 'ten', 'bytes=-0', '10'],
    [10, 'ten', 'bytes=100-200', '10'],
    [10, 'ten', 'bytes=10-', '10'],
    [23, 'ten', 'bytes=99999999999999999999-', '10'],
    [24, 'empty', 'bytes=0-0', '0'],
    [24, 'empty', 'bytes=0-', '0'],
    [24, 'empty', 'bytes=40-50', '0'],
    [24, 'empty', 'bytes=-0', '0'],
  ])('row %i: of %s, %s cannot be satisfied', async (_row, key, range, size) => {
    const reply = await get(key, { range });
    expect(reply.status).toBe(416);
    expect(xmlChildren(reply.text)).toEqual([
      'Code',
      'Message',
      'RangeRequested',
      'ActualObjectSize',
      'RequestId',
      'HostId',
    ]);
    expect(xmlText(reply.text, 'Code')).toBe('InvalidRange');
    expect(xmlText(reply.text, 'Message')).toBe('The requested range is not satisfiable');
    expect(xmlText(reply.text, 'RangeRequested')).toBe(range);
    expect(xmlText(reply.text, 'ActualObjectSize')).toBe(size);
    expect(reply.headers['content-range']).toBe(`bytes */${size}`);
    expect(await get(key, { range }, 'HEAD')).toMatchObject({ status: 416, text: '' });
  });

  it('row 25: the last bytes of an empty object are the empty object', async () => {
    const reply = await get('empty', { range: 'bytes=-5' });
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(reply.headers['content-length']).toBe('0');
    expect(reply.headers['content-range']).toBeUndefined();
  });

  it('row 26: a range of a missing key is a missing key', async () => {
    const reply = await store.signed({ path: '/box/none', headers: { range: 'bytes=0-1' } });
    expect(reply.status).toBe(404);
    expect(xmlText(reply.text, 'Code')).toBe('NoSuchKey');
  });

  it('row 34: an object without a range accepts ranges', async () => {
    expect((await get('ten', {})).headers['accept-ranges']).toBe('bytes');
    expect((await get('ten', {}, 'HEAD')).headers['accept-ranges']).toBe('bytes');
  });
});

describe('docs/semantics.md, section 1: a range and a condition', () => {
  it('row 29: a failed condition comes before a range that cannot be satisfied', async () => {
    const reply = await get('ten', { range: 'bytes=50-', 'if-match': '"other"' });
    expect(reply.status).toBe(412);
  });

  it('row 30: nothing new comes before a range that cannot be satisfied', async () => {
    const reply = await get('ten', { range: 'bytes=50-', 'if-none-match': etag });
    expect(reply.status).toBe(304);
  });

  it('row 31: If-Range with the current tag gives the range', async () => {
    expect(await get('ten', { range: 'bytes=0-1', 'if-range': etag })).toMatchObject({ status: 206 });
  });

  it('Decided 4: If-Range with the exact date gives the range', async () => {
    expect(await get('ten', { range: 'bytes=0-1', 'if-range': modified })).toMatchObject({ status: 206 });
  });

  it.each([
    [32, () => '"stale"'],
    [33, () => `W/${etag}`],
    [33, () => 'Sun, 06 Nov 1994 08:49:37 GMT'],
    [33, () => 'never'],
  ])('row %i: If-Range with anything else gives the whole object', async (_row, value) => {
    const reply = await get('ten', { range: 'bytes=0-1', 'if-range': value() });
    expect(reply).toMatchObject({ status: 200, text: DIGITS });
  });
});

describe('docs/semantics.md, section 1: checksums of ranges', () => {
  it.each([
    [8, 'bytes=0-8', undefined],
    [5, 'bytes=-15', expect.any(String)],
    [6, 'bytes=0-100', expect.any(String)],
    [12, 'bytes=5-3', expect.any(String)],
  ])('row %i: %s', async (_row, range, checksum) => {
    const reply = await get('ten', { range, 'x-amz-checksum-mode': 'ENABLED' });
    expect(reply.headers['x-amz-checksum-crc64nvme']).toEqual(checksum);
  });
});
