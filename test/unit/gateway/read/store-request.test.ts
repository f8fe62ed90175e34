import { expect, it } from 'vitest';
import { storeRequest } from '../../../../src/gateway/read/store-request.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { readOf } from '../../../support/object-reads.ts';

const withChecksums = { name: 'checksum-mode', value: 'ENABLED', store: true };

it('Decided 12: a plain request asks for checksums, and for nothing else', () => {
  expect(storeRequest(readOf('k'), 'HEAD')).toEqual({
    ...{ method: 'HEAD', bucket: 'b', key: 'k', query: '' },
    fields: [withChecksums],
  });
});

it('names the range, the content and what the answer depends on', () => {
  const variant = { origin: 'https://a.test', expectedBucketOwner: '1', requestPayer: 'requester' };
  const { fields } = storeRequest(readOf('k', { variant }), 'GET', { range: 'bytes=0-1', ifMatch: '"t"' });
  expect(fields).toEqual([
    httpHeader('range', 'bytes=0-1'),
    httpHeader('if-match', '"t"'),
    httpHeader('origin', 'https://a.test'),
    { name: 'expected-bucket-owner', value: '1', store: true },
    { name: 'request-payer', value: 'requester', store: true },
    withChecksums,
  ]);
});

it('names the part and the version in the query, encoded', () => {
  const read = readOf('k', { versionId: 'v/1&x=y' });
  expect(storeRequest(read, 'GET').query).toBe('versionId=v%2F1%26x%3Dy');
  expect(storeRequest(read, 'GET', { partNumber: 3 }).query).toBe('partNumber=3&versionId=v%2F1%26x%3Dy');
  expect(storeRequest(readOf('k'), 'GET', { partNumber: 1 }).query).toBe('partNumber=1');
});
