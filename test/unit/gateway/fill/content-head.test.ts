import { expect, it } from 'vitest';
import {
  identityOf,
  isPartAsWhole,
  partOf,
  readContentHead,
} from '../../../../src/gateway/fill/content-head.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { readOf } from '../../../support/object-reads.ts';

const storeHeader = (name: string, value: string) => ({ name, value, store: true });

it.each([
  ['3', 3],
  ['10000', 10_000],
  ['0', undefined],
  ['-3', undefined],
  ['1e3', undefined],
  ['2.5', undefined],
  ['9'.repeat(400), undefined],
])('the count of parts %s is %s', (text, count) => {
  const fields = [httpHeader('content-length', '5'), storeHeader('mp-parts-count', text)];
  const head = readContentHead({ status: 200, fields });
  expect(partOf(head)).toMatchObject({ first: 0, last: 4 });
  expect(head.partCount).toBe(count);
});

it.each([
  [200, 'content-length', '10', 10],
  [206, 'content-range', 'bytes 0-4/10', 10],
  [206, 'content-range', 'bytes 0-4/*', undefined],
  [206, 'content-range', 'bytes 0-4/9007199254740992', undefined],
  [206, 'content-length', '10', undefined],
  [200, 'content-length', '-1', undefined],
  [200, 'content-length', '9007199254740992', undefined],
])('%d with %s: %s is of an object of %s bytes', (status, name, value, sizeBytes) => {
  expect(readContentHead({ status, fields: [httpHeader(name, value)] }).sizeBytes).toBe(sizeBytes);
});

it('a Content-Range that says two things says nothing', () => {
  const rangeOf = (...lines: string[]) =>
    readContentHead({ status: 206, fields: lines.map(line => httpHeader('content-range', line)) }).range;
  expect(rangeOf('bytes 0-4/10', 'bytes 5-9/10')).toBeUndefined();
  expect(rangeOf('bytes 0-4/10', 'bytes 0-4/10')).toMatchObject({ first: 0, last: 4 });
});

it('a content that is said to be longer than its bucket keeps is none', () => {
  const fields = [httpHeader('content-length', '11'), httpHeader('etag', '"t"')];
  const policy = { ...readOf('k').policy, maxObjectSizeBytes: 11 };
  const head = readContentHead({ status: 200, fields });
  expect(identityOf(readOf('k', { policy }), head)?.sizeBytes).toBe(11);
  const smaller = { ...policy, maxObjectSizeBytes: 10 };
  expect(identityOf(readOf('k', { policy: smaller }), head)).toBeUndefined();
});

it('the Content-Range of a 200 says nothing of where a part lies or how long the object is (RFC 9110 §14.4)', () => {
  const fields = [httpHeader('content-length', '5'), httpHeader('content-range', 'bytes 90-94/100')];
  const head = readContentHead({ status: 200, fields });
  expect(head).toMatchObject({ sizeBytes: 5, range: undefined, rangeText: undefined });
  expect(partOf(head)).toMatchObject({ first: 0, last: 4 });
});

it.each([
  ['of some bytes', 'bytes 4-9/10', '6', true],
  ['of the first bytes', 'bytes 0-5/10', '6', true],
  ['of bytes whose length is not told', 'bytes 4-9/10', undefined, true],
  ['of all bytes', 'bytes 0-9/10', '10', false],
  ['of some bytes, as long as all', 'bytes 4-9/10', '10', true],
  ['of all bytes, with another length', 'bytes 0-9/10', '6', true],
  ['of all bytes, chunked', 'bytes 0-9/10', undefined, false],
  ['in another unit', 'octets 4-9/10', '6', true],
  ['of a whole beyond exact numbers', 'bytes 4-9/9007199254740993', '6', true],
  ['of a whole that nobody knows', 'bytes 4-9/*', '6', true],
  ['of a whole that nobody knows, chunked', 'bytes 0-9/*', undefined, true],
  ['of nothing', 'bytes */10', '6', true],
  ['that is malformed', 'bytes 4-', '6', true],
  ['that is no range at all', 'odd', '6', false],
  ['without a range', undefined, '6', false],
])('a 200 %s is a part under the wrong status: %s, length %s: %s', (_what, range, length, isPart) => {
  const fields = [
    ...(range === undefined ? [] : [httpHeader('content-range', range)]),
    ...(length === undefined ? [] : [httpHeader('content-length', length)]),
  ];
  expect(isPartAsWhole(readContentHead({ status: 200, fields }))).toBe(isPart);
  expect(isPartAsWhole(readContentHead({ status: 206, fields }))).toBe(false);
});
