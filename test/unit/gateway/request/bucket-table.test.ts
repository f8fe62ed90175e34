import { expect, it } from 'vitest';
import type { Store } from '../../../../src/backend/store.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import { defaultPolicy } from '../../../support/test-gateway.ts';

const point = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/reports';

const store: Store = {
  name: 'main',
  send: () => ({ pause: () => {}, resume: () => {}, took: () => {}, abort: () => {} }),
  close: async () => {},
};

function tableOf(buckets: Record<string, { bucketAtStore?: string; keyPrefix?: string }>): BucketTable {
  const made = Object.entries(buckets).map(([name, options]): [string, Bucket] => [
    name,
    {
      ...{ name, label: name, store, region: 'eu-west-1', headerPrefix: 'x-amz-', bucketAtStore: name },
      ...{
        keyPrefix: '',
        keys: 'exact',
        listingKey: new Uint8Array(32),
        customerKeys: { plainHttp: 'never' },
        policyFor: () => defaultPolicy,
      },
      ...options,
    },
  ]);
  return new BucketTable(new Map(made), undefined);
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
