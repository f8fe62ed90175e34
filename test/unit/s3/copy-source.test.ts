import { describe, expect, it } from 'vitest';
import { formatCopySource, parseCopySource } from '../../../src/s3/copy-source.ts';
import { S3Error } from '../../../src/s3/error.ts';

const arn = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/point';

function messageOf(sent: string): string {
  try {
    parseCopySource(sent);
  } catch (error) {
    if (error instanceof S3Error) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}

describe('the source of a copy', () => {
  it.each([
    ['b/k', 'b', 'k', undefined],
    ['/b/k', 'b', 'k', undefined],
    ['b%2Fk', 'b', 'k', undefined],
    ['%2Fb%2Fk', 'b', 'k', undefined],
    ['b//k', 'b', '/k', undefined],
    ['b/a/../k', 'b', 'a/../k', undefined],
    ['b/a%20b+c%2Bd', 'b', 'a b c+d', undefined],
    ['b/%C3%BC', 'b', 'ü', undefined],
    ['b/\xc3\xbc', 'b', 'ü', undefined],
    ['b/100%25', 'b', '100%', undefined],
    ['b/a%252Fb', 'b', 'a%2Fb', undefined],
    ['b/k?versionId=v.1', 'b', 'k', 'v.1'],
    ['b/k?versionId=a%26b', 'b', 'k', 'a&b'],
    ['b/what%3F', 'b', 'what?', undefined],
    ['b/what?versionid=v', 'b', 'what?versionid=v', undefined],
    ['b/what%3F?versionId=v', 'b', 'what?', 'v'],
    ['b/k?versionId=v?versionId=w', 'b', 'k', 'v?versionId=w'],
    [`${arn}/object/a/object/k`, arn, 'a/object/k', undefined],
    [`${encodeURIComponent(`${arn}/object/k`)}?versionId=v`, arn, 'k', 'v'],
  ])('%s is of bucket %s, key %s, version %s', (sent, bucket, key, versionId) => {
    expect(parseCopySource(sent)).toEqual({ bucket, key, versionId });
  });

  it.each([
    ['', 'InvalidArgument: Invalid copy source bucket name'],
    ['/', 'InvalidArgument: Invalid copy source bucket name'],
    ['//k', 'InvalidArgument: Invalid copy source bucket name'],
    [arn, 'InvalidArgument: Invalid copy source bucket name'],
    ['b', 'InvalidArgument: Invalid copy source object key'],
    ['b/', 'InvalidArgument: Invalid copy source object key'],
    [`${arn}/object/`, 'InvalidArgument: Invalid copy source object key'],
    ['b/k%3FversionId=v', 'InvalidArgument: Invalid copy source object key'],
    ['b/k%3FversionId%3Dv', 'InvalidArgument: Invalid copy source object key'],
    [`b/${'k'.repeat(1_025)}`, 'InvalidArgument: Invalid copy source object key'],
    ['b/%ZZ', 'InvalidArgument: Invalid copy source encoding'],
    ['b/%C3', 'InvalidArgument: Invalid copy source encoding'],
    ['b/k?versionId=%', 'InvalidArgument: Invalid copy source encoding'],
    ['b/k?versionId=', 'InvalidArgument: Version id cannot be the empty string'],
  ])('%s is none: %s', (sent, message) => {
    expect(messageOf(sent)).toBe(message);
  });

  it.each([
    [{ bucket: 'b', key: 'a b/ü+?&%', versionId: undefined }, 'b/a%20b/%C3%BC%2B%3F%26%25'],
    [{ bucket: 'b', key: 'k', versionId: 'v&w=' }, 'b/k?versionId=v%26w%3D'],
    [{ bucket: arn, key: 'k', versionId: undefined }, `${arn}/object/k`],
  ])('of %o is written so that it can be read in one way: %s', (source, written) => {
    expect(formatCopySource(source)).toBe(written);
    expect(parseCopySource(written)).toEqual(source);
  });
});
