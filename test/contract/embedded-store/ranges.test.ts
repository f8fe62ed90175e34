import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';
import { xmlChildren, xmlText } from '../../support/embedded-store/xml-text.ts';
import {
  checksumsOfRanges,
  failingIfRanges,
  ignoredRanges,
  selectingRanges,
  TEN_DIGITS,
  unsatisfiableRanges,
} from '../../support/semantics/range-rows.ts';

let store: StoreUnderTest;
let etag: string;
let modified: string;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  const headers = { 'x-amz-acl': 'public-read' };
  const put = await store.put('/box/ten', TEN_DIGITS, headers);
  await store.put('/box/hundred', TEN_DIGITS.repeat(10), headers);
  await store.put('/box/empty', '', headers);
  etag = put.headers.etag ?? '';
  modified = new Date(store.clock.nowMs()).toUTCString();
});
afterAll(() => store.stop());

const get = (key: string, headers: Record<string, string | string[]>, method = 'GET') =>
  store.raw({ method, path: `/box/${key}`, headers });

describe('docs/semantics.md, section 1: a range of ten bytes', () => {
  it.each(selectingRanges)('row %i: %s selects %s', async (_row, range, contentRange, body) => {
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

  it.each(ignoredRanges)('row %i: %j is no range, so the whole object comes', async (_row, range) => {
    const reply = await get('ten', { range });
    expect(reply).toMatchObject({ status: 200, text: TEN_DIGITS });
    expect(reply.headers['content-range']).toBeUndefined();
    expect(reply.headers['content-length']).toBe('10');
  });

  it.each(unsatisfiableRanges)('row %i: of %s, %s cannot be satisfied', async (_row, key, range, size) => {
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

  it.each(failingIfRanges)(
    'row %i: If-Range with anything else gives the whole object',
    async (_row, value) => {
      const reply = await get('ten', { range: 'bytes=0-1', 'if-range': value(etag) });
      expect(reply).toMatchObject({ status: 200, text: TEN_DIGITS });
    },
  );
});

describe('docs/semantics.md, section 1: checksums of ranges', () => {
  it.each(checksumsOfRanges)('row %i: %s', async (_row, range, hasChecksum) => {
    const reply = await get('ten', { range, 'x-amz-checksum-mode': 'ENABLED' });
    expect('x-amz-checksum-crc64nvme' in reply.headers).toBe(hasChecksum);
  });
});
