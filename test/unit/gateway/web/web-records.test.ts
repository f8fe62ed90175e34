import { expect, it } from 'vitest';
import { Succession } from '../../../../src/gateway/request/succession.ts';
import { type WebCache, WebRecords } from '../../../../src/gateway/web/web-records.ts';
import type { WebBucket } from '../../../../src/gateway/web/web-target.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf } from '../../../support/object-reads.ts';

it('what is asked for a bucket that a reload has moved is shared with nobody', () => {
  const cache = {
    epochs: { current: () => 7 },
    barriers: { latest: 3 },
    unsettled: { has: () => false },
  } as unknown as WebCache;
  const records = new WebRecords(cache);
  const bucket = bucketOf() as WebBucket;
  const read = { bucket, target: { target: '/k', key: testKey('main', 'b', '/k') } };
  expect(records.askedNow(read)).toEqual({ epoch: 7, barrier: 3, isUnsettled: false });
  bucket.succession.replacedBy(new Succession(), new Set([bucket.epochs.bucketSlot]));
  expect(records.askedNow(read).epoch).toBeLessThan(0);
});
