import { describe, expect, it } from 'vitest';
import type { StoreReplyHead } from '../../../../src/backend/store.ts';
import type { Content } from '../../../../src/cache/content.ts';
import { PartMap } from '../../../../src/cache/part-map.ts';
import { nothingStated } from '../../../../src/cache/stated-freshness.ts';
import { readContentHead } from '../../../../src/gateway/fill/content-head.ts';
import {
  isRefusalOfObject,
  readableRecord,
  refusedRecord,
  uncacheableRecord,
} from '../../../../src/gateway/read/reply-record.ts';
import { hostFields } from '../../../../src/http/host-fields.ts';
import type { HeaderField } from '../../../../src/s3/dialect.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';

const unread = () => {
  throw new Error('nothing is read here');
};
const content: Content = {
  sizeBytes: 10,
  parts: new PartMap(),
  coverage: () => 'none',
  lend: unread,
  peekText: unread,
  open: unread,
};
const get = {
  method: 'GET',
  requestedMs: 1_000,
  receivedMs: 1_000,
  epoch: 3,
  barrier: 0,
  isUnsettled: false,
} as const;

function storeHeader(name: string, value: string): HeaderField {
  return { name, value, store: true };
}

function head(...fields: HeaderField[]): StoreReplyHead {
  return { status: 200, fields };
}

const recordOf = (
  reply: StoreReplyHead,
  method: 'GET' | 'HEAD' = 'GET',
  checksums: 'known' | 'unknown' = 'known',
) => readableRecord(readContentHead(reply), { ...get, method }, content, checksums);

it('rows 201 and 279: what belongs to one reply is not kept, what belongs to the object is', () => {
  const ofTheObject = [
    httpHeader('etag', '"t"'),
    httpHeader('content-type', 'text/plain'),
    httpHeader('last-modified', 'Thu, 01 Jan 2026 00:00:00 GMT'),
    storeHeader('meta-colour', 'blue'),
    storeHeader('version-id', 'v1'),
  ];
  const ofTheReply = [
    httpHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT'),
    httpHeader('age', '7'),
    ...Array.from(hostFields, name => httpHeader(name, 'of the host')),
    httpHeader('connection', 'close'),
    httpHeader('content-length', '10'),
    httpHeader('content-range', 'bytes 0-9/10'),
    httpHeader('proxy-authenticate', 'Basic'),
    httpHeader('set-cookie', 'session=of-one-reader'),
    httpHeader('x-cache', 'Hit from another cache'),
    httpHeader('x-ratelimit-limit', '6085'),
    httpHeader('x-ratelimit-remaining', '6084'),
    httpHeader('ratelimit', '"default";r=50;t=30'),
    httpHeader('retry-after', '60'),
    httpHeader('transfer-encoding', 'chunked'),
    storeHeader('request-id', 'r'),
    storeHeader('id-2', 'i'),
    storeHeader('request-charged', 'requester'),
    storeHeader('mp-parts-count', '2'),
  ];
  const record = recordOf(head(...ofTheReply, ...ofTheObject));
  expect(record.fields).toEqual(ofTheObject);
  expect(record).toMatchObject({
    entityTag: '"t"',
    versionId: 'v1',
    lastModifiedMs: Date.UTC(2026, 0, 1),
    sizeBytes: 10,
    receivedMs: 1_000,
    epoch: 3,
    isUnsettled: false,
    isUsableForGet: true,
  });
});

it('checksums that may not be all there are are left out', () => {
  const reply = head(storeHeader('checksum-crc32', 'abc'), storeHeader('meta-x', '1'));
  expect(recordOf(reply, 'GET', 'known').fields).toHaveLength(2);
  expect(recordOf(reply, 'GET', 'unknown').fields).toEqual([storeHeader('meta-x', '1')]);
});

describe('what HEAD says of an archived object does not answer GET (rows 165 to 173)', () => {
  it.each<[string, HeaderField[], boolean]>([
    ['an ordinary object', [], true],
    ['GLACIER', [storeHeader('storage-class', 'GLACIER')], false],
    ['DEEP_ARCHIVE', [storeHeader('storage-class', 'DEEP_ARCHIVE')], false],
    ['GLACIER_IR', [storeHeader('storage-class', 'GLACIER_IR')], true],
    ['an archive tier', [storeHeader('archive-status', 'ARCHIVE_ACCESS')], false],
    [
      'being restored',
      [storeHeader('storage-class', 'GLACIER'), storeHeader('restore', 'ongoing-request="true"')],
      false,
    ],
    [
      'restored',
      [
        storeHeader('storage-class', 'GLACIER'),
        storeHeader('restore', 'ongoing-request="false", expiry-date="Fri, 02 Jan 2026 00:00:00 GMT"'),
      ],
      true,
    ],
  ])('%s', (_, fields, isUsableForGet) => {
    expect(recordOf(head(...fields), 'HEAD').isUsableForGet).toBe(isUsableForGet);
    expect(recordOf(head(...fields), 'GET').isUsableForGet, 'GET was answered').toBe(true);
  });
});

it('freshness is taken from Cache-Control, Expires, Age and the end of a restored copy', () => {
  const { directives } = recordOf(
    head(
      httpHeader('cache-control', 'max-age=60, s-maxage=90'),
      httpHeader('expires', 'Thu, 01 Jan 2026 00:00:00 GMT'),
      httpHeader('age', '7'),
      storeHeader('restore', 'ongoing-request="false", expiry-date="Fri, 02 Jan 2026 00:00:00 GMT"'),
    ),
  );
  expect(directives).toEqual({
    ...nothingStated,
    maxAgeS: 60,
    sMaxAgeS: 90,
    mustRevalidate: true,
    expiresAfterMs: Date.UTC(2026, 0, 1) - 1_000,
    restoredUntilMs: Date.UTC(2026, 0, 2),
    initialAgeMs: 7_000,
  });
});

it('of several lines of Cache-Control all count (RFC 9110 §5.3)', () => {
  const lines = ['public, max-age=3600', 'no-store'].map(control => httpHeader('cache-control', control));
  expect(recordOf(head(...lines)).directives).toMatchObject({ noStore: true, maxAgeS: 3600 });
});

it('RFC 9213: what is said to caches like this one takes the place of Cache-Control and Expires, in all its lines', () => {
  const { directives, fields } = recordOf(
    head(
      httpHeader('cache-control', 'no-store'),
      httpHeader('expires', '0'),
      httpHeader('cdn-cache-control', 'max-age=60'),
      httpHeader('cdn-cache-control', 'stale-if-error=5'),
    ),
  );
  expect(directives).toEqual({ ...nothingStated, maxAgeS: 60, staleIfErrorS: 5 });
  expect(fields).toHaveLength(4);
});

it.each(['0', '-1', 'never', '2099-01-01T00:00:00Z'])(
  'Expires: %s is in the past (RFC 9111 §5.3)',
  expires => {
    expect(recordOf(head(httpHeader('expires', expires))).directives.expiresAfterMs).toBe(0);
  },
);

it.each(['no-store', 'private', 'private="etag"'])('%s is not to be stored', control => {
  expect(recordOf(head(httpHeader('cache-control', control))).directives.noStore).toBe(true);
});

it.each(['no-cache', 'no-cache="etag"'])(
  '%s is asked for each time, with all fields of the store',
  control => {
    const { directives, fields } = recordOf(
      head(httpHeader('cache-control', control), httpHeader('etag', '"t"')),
    );
    expect(directives.noCache).toBe(true);
    expect(fields).toHaveLength(2);
  },
);

it('the clock of the store does not matter: its Date makes nothing older', () => {
  const slow = head(
    httpHeader('date', 'Thu, 01 Jan 1970 00:00:00 GMT'),
    httpHeader('cache-control', 'max-age=60'),
  );
  const record = readableRecord(
    readContentHead(slow),
    { ...get, requestedMs: 899_700, receivedMs: 900_000 },
    content,
    'known',
  );
  expect(record.directives.initialAgeMs, 'only the time that the answer took').toBe(300);
});

it('decided 8: missing, deleted and archived are remembered, and no other refusal', () => {
  const reply = (status: number, body = '') => ({ status, fields: [], body: Buffer.from(body) });
  expect(isRefusalOfObject(reply(404))).toBe(true);
  expect(isRefusalOfObject(reply(405))).toBe(true);
  expect(isRefusalOfObject(reply(403, '<Code>InvalidObjectState</Code>'))).toBe(true);
  expect(isRefusalOfObject(reply(403, '<Code>AccessDenied</Code>'))).toBe(false);
  expect(isRefusalOfObject(reply(416))).toBe(false);
  expect(isRefusalOfObject(reply(503))).toBe(false);
});

it.each<[string, 'GET' | 'HEAD', 'known' | 'unknown', readonly string[]]>([
  ['the whole object', 'GET', 'known', ['repr-digest', 'content-digest', 'content-md5']],
  ['a part of it', 'GET', 'unknown', ['repr-digest']],
  ['no bytes', 'HEAD', 'known', ['repr-digest']],
])(
  'RFC 9530: of an answer with %s, digests of what it carries are kept if they fit',
  (_, method, checksums, kept) => {
    const names = ['repr-digest', 'content-digest', 'content-md5'];
    const { fields } = recordOf(head(...names.map(name => httpHeader(name, 'd'))), method, checksums);
    expect(fields.map(({ name }) => name)).toEqual(kept);
  },
);

it('decided 8: what a refusal says of its freshness does not count, unless it says that it is not to be stored', () => {
  const reply = (control: string) => ({
    ...{ status: 404, body: Buffer.alloc(0) },
    fields: [httpHeader('cache-control', control), httpHeader('age', '60')],
  });
  expect(refusedRecord(reply('max-age=60'), get).directives).toEqual(nothingStated);
  expect(refusedRecord(reply('no-store'), get).directives).toEqual({ ...nothingStated, noStore: true });
});

it('a refusal keeps its words, and answers GET when GET was asked', () => {
  const reply = { status: 404, fields: [httpHeader('date', 'x')], body: Buffer.from('words') };
  expect(refusedRecord(reply, get)).toMatchObject({
    status: 404,
    fields: [],
    isNegative: true,
    isUsableForGet: true,
  });
  expect(refusedRecord(reply, { ...get, method: 'HEAD' }).isUsableForGet).toBe(false);
  expect(refusedRecord(reply, get).body.toString()).toBe('words');
});

it('what cannot be kept is remembered as long as what says nothing, whatever it says', () => {
  const record = uncacheableRecord(readContentHead(head()), get);
  expect(record).toMatchObject({ kind: 'uncacheable', isNegative: false, isUsableForGet: true, fields: [] });
  expect(record.directives.noStore).toBe(false);
  expect(uncacheableRecord(readContentHead(head()), { ...get, method: 'HEAD' }).isUsableForGet).toBe(false);
});

it.each([
  ['60', 60_000],
  ['-60', 0],
  ['Infinity', 0],
  ['1e9', 0],
  ['9'.repeat(400), 1000 * 2 ** 31],
])('an Age of %s is %d ms: it makes no answer fresher, and is a finite number', (age, initialAgeMs) => {
  expect(recordOf(head(httpHeader('age', age))).directives.initialAgeMs).toBe(initialAgeMs);
});
