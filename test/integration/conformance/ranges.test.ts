import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import {
  checksumsOfRanges,
  failingIfRanges,
  ignoredRanges,
  selectingRanges,
  TEN_DIGITS,
  unsatisfiableRanges,
} from '../../support/semantics/range-rows.ts';

describe.each(crossedDialects)('docs/semantics.md, section 1: $client before $store, $over', dialects => {
  let lab: Lab;
  let etag: string;
  let modified: string;

  beforeAll(async () => {
    lab = await Lab.start({ dialects, buckets: { box: {} } });
    await lab.store.put('/box');
    etag = (await lab.store.put('/box/ten', TEN_DIGITS)).headers.etag ?? '';
    modified = new Date(lab.store.clock.nowMs()).toUTCString();
    await lab.store.put('/box/empty', '');
    lab.store.clock.advance(5_000);
  });
  afterAll(() => lab.stop());

  const ask = (key: string, headers: Record<string, string | readonly string[]>, more = {}) =>
    lab.agree({ path: `/box/${key}`, headers, ...more });

  it.each(selectingRanges)('row %i (27 for HEAD): %s selects %s', async (_row, range, contentRange, body) => {
    const { reply, cache } = await ask('ten', { range });
    expect(reply).toMatchObject({ status: 206, text: body });
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(body.length),
      'accept-ranges': 'bytes',
      etag,
    });
    expect(cache).toMatchObject({ cold: 'MISS', again: 'HIT', 'after GET': 'HIT' });
    const head = await ask('ten', { range }, { method: 'HEAD' });
    expect(head.reply).toMatchObject({ status: 206, text: '' });
    expect(head.reply.headers['content-range']).toBe(contentRange);
    expect(head.cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT', 'after HEAD': 'HIT' });
  });

  it.each(ignoredRanges)('row %i: %j is no range, so the whole object comes', async (_row, range) => {
    const { reply, cache } = await ask('ten', { range });
    expect(reply).toMatchObject({ status: 200, text: TEN_DIGITS });
    expect(reply.headers['content-range']).toBeUndefined();
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
  });

  it.each(unsatisfiableRanges)(
    'rows %i, 11 and 28: of %s, %s cannot be satisfied',
    async (_row, key, range, size) => {
      const { reply, cache } = await ask(key, { range });
      expect(reply.status).toBe(416);
      expect(reply.error).toEqual({
        code: 'InvalidRange',
        message: 'The requested range is not satisfiable',
        fields: { RangeRequested: range, ActualObjectSize: size },
      });
      expect(reply.headers['content-range']).toBe(`bytes */${size}`);
      expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
      expect((await ask(key, { range }, { method: 'HEAD' })).reply).toMatchObject({ status: 416, text: '' });
    },
  );

  it('row 25: the last bytes of an empty object are the empty object', async () => {
    const { reply } = await ask('empty', { range: 'bytes=-5' });
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(reply.headers['content-length']).toBe('0');
    expect(reply.headers['content-range']).toBeUndefined();
  });

  it('row 26: a range of a missing key is a missing key', async () => {
    const { reply } = await ask('none', { range: 'bytes=0-1' });
    expect(reply).toMatchObject({ status: 404, error: { code: 'NoSuchKey' } });
  });

  it('row 34: an object without a range accepts ranges', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { reply } = await ask('ten', {}, { method });
      expect(reply.headers['accept-ranges']).toBe('bytes');
    }
  });

  it('rows 29 and 30: conditions come before a range that cannot be satisfied', async () => {
    const range = 'bytes=50-';
    expect((await ask('ten', { range, 'if-match': '"other"' })).reply.status).toBe(412);
    expect((await ask('ten', { range, 'if-none-match': etag })).reply.status).toBe(304);
  });

  it.each<[number, () => string, number]>([
    [31, () => etag, 206],
    [33, () => modified, 206],
    ...failingIfRanges.map(([row, value]): [number, () => string, number] => [row, () => value(etag), 200]),
  ])('row %i: If-Range decides whether the range counts', async (_row, value, status) => {
    const { reply, cache } = await ask('ten', { range: 'bytes=0-1', 'if-range': value() });
    expect(reply).toMatchObject({ status, text: status === 206 ? '01' : TEN_DIGITS });
    expect(cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
  });

  it.each(checksumsOfRanges)(
    'rows %i and 280: checksums go with the whole object only (%s)',
    async (_row, range, hasChecksum) => {
      for (const method of ['GET', 'HEAD']) {
        const { reply } = await ask('ten', { range }, { method, fields: { 'checksum-mode': 'ENABLED' } });
        expect('checksum-crc64nvme' in reply.fields).toBe(hasChecksum);
      }
    },
  );
});
