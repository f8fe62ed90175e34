import { expect, it } from 'vitest';
import type { Store, StoreRequest } from '../../../../src/backend/store.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { nothingNamed, rangeSource } from '../../../../src/gateway/workers/content-source.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';

const identity = {
  ...{ objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes: 9, contentEncoding: undefined },
};
const receiver = { answered: () => {}, arrived: () => {}, ended: () => {}, failed: () => {} };
const web = { host: { kind: 'origin' }, forwarded: false, originHost: 'o', scheme: 'http' };

it.each<[string, Partial<Bucket>]>([
  ['a store', {}],
  ['a web origin', { web: web as never }],
])('a fill, which repeats what fails, waits for no body of a failure: %s', (_, different) => {
  const asked: StoreRequest[] = [];
  const store: Store = {
    ...silentStore,
    send: request => {
      asked.push(request);
      return { pause: () => {}, resume: () => {}, took: () => {}, abort: () => {} };
    },
  };
  const read = readOf('/k', { bucket: { ...bucketOf(store), ...different } });
  rangeSource(read, nothingNamed, identity, bucket => bucket).send(0, 9, receiver);
  expect(asked).toMatchObject([{ method: 'GET', isFailureUntold: true }]);
});
