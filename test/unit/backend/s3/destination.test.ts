import { describe, expect, it } from 'vitest';
import { destinationOf, type StoreAddress } from '../../../../src/backend/s3/destination.ts';

const account = '123456789012';
const inPath: StoreAddress = {
  host: 's3.eu-west-1.amazonaws.com',
  region: 'eu-west-1',
  addressing: 'path',
};
const inHost: StoreAddress = { ...inPath, addressing: 'virtual' };

describe('where a request to a store goes', () => {
  it.each([
    [inPath, 'photos', 'a/b', inPath.host, '/photos/a/b'],
    [inPath, 'photos', undefined, inPath.host, '/photos'],
    [inPath, undefined, undefined, inPath.host, '/'],
    [inHost, 'photos', 'a/b', `photos.${inPath.host}`, '/a/b'],
    [inHost, 'dotted.name', '/a//b/../c', `dotted.name.${inPath.host}`, '//a//b/../c'],
    [inHost, 'photos', undefined, `photos.${inPath.host}`, '/'],
    [inHost, undefined, undefined, inPath.host, '/'],
  ])('with %j, bucket %s and key %s: %s %s', (address, bucket, key, host, rawPath) => {
    const scope = { region: 'eu-west-1', service: 's3' };
    expect(destinationOf(address, bucket, key)).toEqual({ host, rawPath, ...scope });
  });

  it.each([
    [`arn:aws:s3:us-east-2:${account}:accesspoint/reports`, `reports-${account}.s3-accesspoint`, 's3'],
    [
      `arn:aws:s3-object-lambda:us-east-2:${account}:accesspoint/reports`,
      `reports-${account}.s3-object-lambda`,
      's3-object-lambda',
    ],
    [
      `arn:aws:s3-outposts:us-east-2:${account}:outpost/op-1/accesspoint/reports`,
      `reports-${account}.op-1.s3-outposts`,
      's3-outposts',
    ],
    [
      `arn:aws:s3-outposts:us-east-2:${account}:outpost/op-1/bucket/reports`,
      `reports-${account}.op-1.s3-outposts`,
      's3-outposts',
    ],
  ])('%s has a host, a region and a service of its own, whatever the addressing', (arn, labels, service) => {
    for (const address of [inPath, inHost]) {
      expect(destinationOf(address, arn, 'a/b')).toEqual({
        host: `${labels}.us-east-2.amazonaws.com`,
        rawPath: '/a/b',
        region: 'us-east-2',
        service,
      });
    }
  });
});
