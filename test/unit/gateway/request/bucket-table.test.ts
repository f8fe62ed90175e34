import { expect, it } from 'vitest';
import type { Store } from '../../../../src/backend/store.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { BucketTable, type OtherBuckets } from '../../../../src/gateway/request/bucket-table.ts';
import { Succession } from '../../../../src/gateway/request/succession.ts';
import type { HeaderPrefix } from '../../../../src/s3/dialect.ts';
import { slots } from '../../../support/object-keys.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

const point = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/reports';

const store: Store = {
  name: 'main',
  identity: 'main',
  send: () => ({ pause: () => {}, resume: () => {}, took: () => {}, abort: () => {} }),
  mayRetry: () => true,
  close: async () => {},
};

function tableOf(buckets: Record<string, Partial<Bucket>>, others?: OtherBuckets): BucketTable {
  const made = Object.entries(buckets).map(([name, options]): [string, Bucket] => [
    name,
    {
      ...{ name, label: name, store, region: 'eu-west-1', headerPrefix: 'x-amz-', bucketAtStore: name },
      ...{
        keyPrefix: '',
        epochs: slots.of({ backend: 'main', bucket: name }),
        keys: 'exact',
        listingKey: new Uint8Array(32),
        succession: new Succession(),
        maxBodySizeBytes: 5 * 1024 ** 3,
        customerKeys: { plainHttp: 'never' },
        rulesFor: () => ({ cache: defaultPolicy }),
      },
      ...options,
    },
  ]);
  return new BucketTable(new Map(made), others);
}

it('finds a bucket by its name, and by the access point that it is', () => {
  const table = tableOf({ r: { bucketAtStore: point }, other: {} });
  expect(table.find('r')?.name).toBe('r');
  expect(table.find(point)?.name).toBe('r');
  expect(table.find(point.replace('/', ':'))?.name).toBe('r');
  expect(table.find('third')).toBeUndefined();
});

it('a part of an access point is not the access point', () => {
  const table = tableOf({ r: { bucketAtStore: point, keyPrefix: '2026/' } });
  expect(table.find(point)).toBeUndefined();
});

it('a name in the configuration goes before what another bucket is', () => {
  const table = tableOf({ r: { bucketAtStore: point }, [point]: {} });
  expect(table.find(point)?.name).toBe(point);
});

const sameName = (kind: string, region: string, resource: string) =>
  `arn:aws:${kind}:${region}:123456789012:${resource}`;

it('finds a point by what a client puts before the domain of the gateway', () => {
  const table = tableOf({ photos: { bucketAtStore: point }, 'reports-123456789013': {} });
  expect(table.findInHost('reports-123456789012', undefined)?.name).toBe('photos');
  expect(table.findInHost('reports-123456789013', undefined)?.name).toBe('reports-123456789013');
  expect(table.findInHost('others-123456789012', undefined)).toBeUndefined();
  expect(table.find('reports-123456789012')).toBeUndefined();
});

it('a bucket of that very name is found before a point', () => {
  const table = tableOf({ photos: { bucketAtStore: point }, 'reports-123456789012': {} });
  expect(table.findInHost('reports-123456789012', undefined)?.name).toBe('reports-123456789012');
});

it('of points that have the same name and account, the scope of the signature names one', () => {
  const table = tableOf({
    here: { bucketAtStore: sameName('s3', 'eu-west-1', 'accesspoint/reports') },
    there: { bucketAtStore: sameName('s3', 'us-east-1', 'accesspoint/reports') },
    lambda: { bucketAtStore: sameName('s3-object-lambda', 'eu-west-1', 'accesspoint/reports') },
    outpost: { bucketAtStore: sameName('s3-outposts', 'eu-west-1', 'outpost/op-1/accesspoint/reports') },
  });
  const found = (region: string, service: string) =>
    table.findInHost('reports-123456789012', { region, service })?.name;
  expect(found('eu-west-1', 's3')).toBe('here');
  expect(found('us-east-1', 's3')).toBe('there');
  expect(found('eu-west-1', 's3-object-lambda')).toBe('lambda');
  expect(found('mars-1', 's3')).toBeUndefined();
  expect(table.findInHost('reports-123456789012', undefined)).toBeUndefined();
  expect(table.findInHost('reports-123456789012.op-1', undefined)?.name).toBe('outpost');
});

it('says what requests to the service are signed for, and in which dialect they are answered', () => {
  const others = (headerPrefix: HeaderPrefix) => ({
    ...{ store, region: 'us-west-2', headerPrefix, rulesFor: () => ({ cache: defaultPolicy }) },
    find: () => undefined,
  });
  expect(tableOf({})).toMatchObject({ serviceRegions: [], servicePrefix: undefined });
  expect(tableOf({ a: {}, b: {} })).toMatchObject({
    ...{ serviceRegions: ['eu-west-1', 'us-east-1'], servicePrefix: 'x-amz-' },
  });
  expect(tableOf({ a: {} }, others('x-amz-'))).toMatchObject({
    ...{ serviceRegions: ['us-west-2', 'eu-west-1', 'us-east-1'], servicePrefix: 'x-amz-' },
  });
  expect(tableOf({ a: {} }, others('x-store-'))).toMatchObject({ servicePrefix: undefined });
});
