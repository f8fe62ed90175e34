import { describe, expect, it } from 'vitest';
import {
  checksumsOf,
  hasInexactRange,
  hasNoContent,
  keptContent,
  partOf,
  readContentHead,
  tellsWhole,
} from '../../../../src/gateway/fill/content-head.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';

const storeHeader = (name: string, value: string) => ({ name, value, store: true });

/** The head of an answer with these standard fields, and a checksum if it has one. */
function head(status: number, http: Readonly<Record<string, string>>, checksum?: string) {
  const fields = Object.entries(http).map(([name, value]) => httpHeader(name, value));
  return readContentHead({
    status,
    fields: checksum === undefined ? fields : [...fields, storeHeader('checksum-crc32', checksum)],
  });
}

describe('of several fields with one name', () => {
  const fields = [
    ...[httpHeader('cache-control', 'private'), httpHeader('etag', '"1"'), storeHeader('cache-control', 'a')],
    ...[
      httpHeader('cache-control', 'max-age=1'),
      httpHeader('etag', '"2"'),
      storeHeader('cache-control', 'b'),
    ],
    ...[httpHeader('version-id', 'not of the store'), storeHeader('version-id', 'v')],
  ];
  const read = readContentHead({ status: 200, fields });

  it('the first counts, and of Cache-Control all (RFC 9110 §5.3)', () => {
    expect(read).toMatchObject({ entityTag: '"1"', versionId: 'v' });
    expect([read.http.get('cache-control'), read.store.get('cache-control')]).toEqual([
      'private, max-age=1',
      'a',
    ]);
  });
});

it('checksums are store fields alone, in order', () => {
  const fields = [
    ...[
      storeHeader('checksum-crc32', 'a'),
      httpHeader('checksum-sha1', 'b'),
      storeHeader('checksum-type', 'c'),
    ],
    storeHeader('meta-checksum-x', 'd'),
  ];
  const read = readContentHead({ status: 200, fields });
  expect(read.checksums.map(({ value }) => value)).toEqual(['a', 'c']);
  expect(partOf(read).checksums).toBe(read.checksums);
});

it.each([
  ['requester', true],
  ['owner', false],
])('row 127: an answer with request-charged %s was charged: %s', (value, isCharged) => {
  expect(readContentHead({ status: 200, fields: [storeHeader('request-charged', value)] })).toMatchObject({
    isCharged,
  });
});

it.each([
  [{}, undefined],
  [{ 'content-length': '7' }, 7],
  [{ 'content-length': 'seven' }, 'unusable'],
])('the length of an answer with %j is %s', (http, lengthBytes) => {
  expect(head(200, http).lengthBytes).toBe(lengthBytes);
});

it.each([
  [
    { etag: '"t"', 'content-length': '10' },
    { entityTag: '"t"', sizeBytes: 10 },
  ],
  [{ etag: '"t"', 'content-length': '11' }, undefined],
  [{ etag: 'W/"t"', 'content-length': '10' }, undefined],
  [{ etag: 't', 'content-length': '10' }, undefined],
  [{ 'content-length': '10' }, undefined],
  [{ etag: '"t"' }, undefined],
])('of at most 10 bytes, a content with %j is kept as %j', (http, kept) => {
  expect(keptContent(head(200, http), 10)).toEqual(kept);
});

describe('the checksums that the store has', () => {
  const range = (text: string) => ({ 'content-range': `bytes ${text}` });

  it.each<[string, ReturnType<typeof head>, 'GET' | 'HEAD', number | undefined, string]>([
    ['a whole answer', head(200, {}), 'GET', undefined, 'known'],
    ['a HEAD', head(206, range('0-4/10')), 'HEAD', undefined, 'known'],
    ['a range with some that covers all', head(206, range('0-9/10'), 'crc'), 'GET', undefined, 'known'],
    ['a range without any that covers all', head(206, range('0-9/10')), 'GET', undefined, 'unknown'],
    ['a beginning', head(206, range('0-8/10'), 'crc'), 'GET', undefined, 'unknown'],
    ['an end', head(206, range('1-9/10'), 'crc'), 'GET', undefined, 'unknown'],
    ['a range of something', head(206, range('0-9/*'), 'crc'), 'GET', undefined, 'unknown'],
    ['a part', head(206, range('0-9/10'), 'crc'), 'GET', 1, 'unknown'],
    ['a part that is all', head(200, {}, 'crc'), 'HEAD', 1, 'unknown'],
  ])('are, after %s', (_, answer, method, partNumber, expected) => {
    expect(checksumsOf(answer, method, partNumber)).toBe(expected);
  });
});

/** The MD5 of nothing. */
const emptyTag = '"d41d8cd98f00b204e9800998ecf8427e"';

it.each<[string, ReturnType<typeof head>, number | undefined, boolean]>([
  ['what was not a part', head(200, { 'content-length': '5' }), undefined, true],
  ['a part with its range', head(206, { 'content-range': 'bytes 0-4/10' }), 1, true],
  ['a part without range', head(200, { 'content-length': '5' }), 1, false],
  ['an empty part', head(200, { 'content-length': '0', etag: '"t"' }), 1, false],
  ['an empty part with the tag of nothing', head(200, { 'content-length': '0', etag: emptyTag }), 1, true],
])('row 53: an answer about %s says what the whole is: %s %s', (_, answer, partNumber, expected) => {
  expect(tellsWhole(answer, partNumber)).toBe(expected);
});

it.each<[number, Readonly<Record<string, string>>, boolean]>([
  [206, { 'content-length': '0' }, true],
  [206, { 'content-length': '0', 'content-range': 'bytes 0--1/0' }, true],
  [206, { 'content-length': '0', 'content-range': 'Bytes 0--1/0' }, true],
  [206, { 'content-length': '0', 'content-range': 'bytes 0-0/1' }, false],
  [206, { 'content-length': '0', 'content-range': 'x bytes 0--1/0' }, false],
  [206, { 'content-length': '0', 'content-range': 'bytes 0--1/05' }, false],
  [206, { 'content-length': '1' }, false],
  [206, {}, false],
  [200, { 'content-length': '0' }, false],
])('rows 25 and 47: %d with %j has no content: %s', (status, http, isEmpty) => {
  expect(hasNoContent(head(status, http))).toBe(isEmpty);
});

it.each([
  ['bytes 0-4/10', false],
  ['bytes 9007199254740992-9007199254740993/9007199254740994', true],
  ['nonsense', false],
])('the range "%s" is inexact: %s', (text, isInexact) => {
  expect(hasInexactRange(head(206, { 'content-range': text }))).toBe(isInexact);
});
