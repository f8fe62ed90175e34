import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Content, Encodings } from '../../../../src/cache/content.ts';
import type { ReadableRecord } from '../../../../src/cache/record.ts';
import type { CompressionRules } from '../../../../src/gateway/request/compression-rules.ts';
import type { ContentCoding } from '../../../../src/http/content-coding.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { readOf } from '../../../support/object-reads.ts';
import { ObjectServerBench, TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';

const text = '0123456789';
const compress: CompressionRules = {
  ...{ codings: ['br', 'gzip'], types: ['text/*'], minSizeBytes: 1, maxSizeBytes: 100, signed: false },
};

/** What was made of a content, as the test says. */
class PlayedEncodings implements Encodings {
  readonly held = new Map<ContentCoding, Content>();
  readonly told: string[] = [];

  in(coding: ContentCoding): Content | undefined {
    return this.held.get(coding);
  }

  make(coding: ContentCoding): void {
    this.told.push(`make ${coding}`);
  }

  forget(coding: ContentCoding): void {
    this.held.delete(coding);
    this.told.push(`forget ${coding}`);
  }
}

class CodedContent extends TextContent {
  readonly encodings = new PlayedEncodings();
}

let bench: ObjectServerBench;
let content: CodedContent;

beforeEach(async () => {
  bench = await ObjectServerBench.start();
  content = new CodedContent(text);
  bench.cached = readable();
});

afterEach(() => bench.close());

function readable(different: Partial<ReadableRecord> = {}): ReadableRecord {
  const fields = [httpHeader('etag', '"t"'), httpHeader('content-type', 'text/plain')];
  return { ...recordOf(content), receivedMs: bench.clock.nowMs(), fields, entityTag: '"t"', ...different };
}

const asked = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => ({
  method,
  headers: { 'accept-encoding': 'br, gzip', ...headers },
  client: { rules: { cache: readOf('k').policy, compress } },
});

describe('a coded content that cannot be read', () => {
  it('is given up, and the client gets the content as it is', async () => {
    const lost = new TextContent('coded');
    lost.held = 'none';
    content.encodings.held.set('br', lost);
    const { reply, exchange } = await bench.serve(asked());
    expect(reply).toMatchObject({ status: 200, text });
    expect(reply.headers).toMatchObject({ etag: '"t"', 'content-length': '10', vary: 'Accept-Encoding' });
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect([content.encodings.told, bench.told, exchange.report.result]).toEqual([['forget br'], [], 'HIT']);
  });

  it('leaves nothing of its head in a 304 to the tag of the content as it is (RFC 9110 §15.4.5)', async () => {
    const lost = new TextContent('coded');
    lost.held = 'none';
    content.encodings.held.set('br', lost);
    const { reply } = await bench.serve(asked({ 'if-none-match': '"t"' }));
    expect(content.encodings.told).toEqual(['forget br']);
    expect([reply.status, reply.headers.etag, reply.headers.vary]).toEqual([304, '"t"', 'Accept-Encoding']);
    for (const name of ['content-encoding', 'content-length', 'content-type'])
      expect(reply.headers[name]).toBeUndefined();
  });
});

it('a range is of the content as it is, though a coded one is held', async () => {
  content.encodings.held.set('br', new TextContent('coded'));
  const { reply } = await bench.serve(asked({ range: 'bytes=2-3' }));
  expect([reply.status, reply.text, reply.headers.etag]).toEqual([206, '23', '"t"']);
  expect(reply.headers['content-range']).toBe('bytes 2-3/10');
  expect(reply.headers['content-encoding']).toBeUndefined();
});

describe('which coding is made', () => {
  it('the best that the client takes, unless it is there', async () => {
    content.encodings.held.set('gzip', new TextContent('zipped'));
    const { reply } = await bench.serve(asked());
    expect(reply.headers).toMatchObject({
      'content-encoding': 'gzip',
      etag: '"t-tidegate-gzip"',
      'content-length': '6',
    });
    expect(content.encodings.told).toEqual(['make br']);
    content.encodings.held.set('br', new TextContent('coded'));
    expect((await bench.serve(asked())).reply).toMatchObject({ text: 'coded' });
    expect(content.encodings.told).toEqual(['make br']);
  });

  it('none for HEAD, or where nothing is configured', async () => {
    await bench.serve(asked({}, 'HEAD'));
    const off = { ...asked(), client: { rules: { cache: readOf('k').policy, compress: 'off' as const } } };
    const { reply } = await bench.serve(off);
    expect([content.encodings.told, reply.headers.vary]).toEqual([[], undefined]);
  });
});

it('conditions are about the coding that the client gets', async () => {
  content.encodings.held.set('br', new TextContent('coded'));
  const same = await bench.serve(asked({ 'if-none-match': '"t-tidegate-br"' }));
  expect([same.reply.status, same.reply.headers.etag]).toEqual([304, '"t-tidegate-br"']);
  const other = await bench.serve(asked({ 'if-none-match': '"t"' }));
  expect([other.reply.status, other.reply.text]).toEqual([200, 'coded']);
});
