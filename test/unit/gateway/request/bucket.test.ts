import { expect, it } from 'vitest';
import { regionOfBucket } from '../../../../src/gateway/request/bucket.ts';

const point = (region: string) => `arn:aws:s3:${region}:123456789012:accesspoint/ap`;

it.each([
  ['where its store is', 'photos', 'photos', 'us-east-1'],
  ['where the access point is that clients name', point('eu-west-1'), 'photos', 'eu-west-1'],
  ['where the access point is that it is at its store', 'photos', point('eu-west-2'), 'eu-west-2'],
  ['where the one is that clients name, of two', point('eu-west-1'), point('eu-west-2'), 'eu-west-1'],
])('a bucket is %s', (_where, name, bucketAtStore, region) => {
  expect(regionOfBucket(name, bucketAtStore, 'us-east-1')).toBe(region);
});
