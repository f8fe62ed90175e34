import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { actors, ask, runHistories } from '../support/read-your-writes.ts';
import type { RealStore } from './real-store.ts';
import { realStores } from './real-stores.ts';

const actions = ['GetObject', 'ListBucket', 'PutObject', 'DeleteObject'];

describe.each(realStores)('in front of %s', (_, startStore) => {
  let store: RealStore;

  beforeAll(async () => {
    store = await startStore();
    const { directUrl: endpoint } = store;
    // the SDK adds to what it is given
    const credentials = { ...store.credentials };
    const sdk = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
    await sdk.send(new CreateBucketCommand({ Bucket: 'own' }));
    sdk.destroy();
  });
  afterAll(() => store?.stop());

  // connections of a real process come to any of its threads
  it.each([1, 2])(
    'law 5 with %d workers: after a write was answered nobody reads what was before',
    async workers => {
      const gateway = await GatewayProcess.start({
        backends: {
          store: { type: 's3', endpoint: store.url, keys: 'path', credentials: store.credentials },
        },
        buckets: {
          b: {
            ...{ backend: 'store', bucket: 'own', access: 'public', cache: { ttl: '1h', negativeTtl: '1h' } },
            anonymous: [{ actions, keys: ['**'] }],
          },
        },
        ...{ memory: '64MiB', workers },
      });
      const urlOf = () => gateway.url;
      try {
        await fc.assert(
          fc.asyncProperty(actors, async histories => {
            for (const key of [0, 1]) await ask(urlOf, { method: 'DELETE', path: `/b/k${key}`, worker: 0 });
            await runHistories(urlOf, histories);
          }),
          { numRuns: 8 },
        );
      } finally {
        await gateway.stop();
      }
    },
  );
});
