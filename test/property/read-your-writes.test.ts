import fc from 'fast-check';
import { it } from 'vitest';
import { OWNER, StoreUnderTest } from '../support/embedded-store/store-under-test.ts';
import { actors, ask, runHistories } from '../support/read-your-writes.ts';
import { SlowStore } from '../support/slow-store.ts';
import { TestGateway } from '../support/test-gateway.ts';

it.each([1, 2])(
  'law 5 with %d workers: after a write was answered nobody reads what was before',
  async workers => {
    await fc.assert(
      fc.asyncProperty(actors, fc.array(fc.nat(6), { minLength: 1 }), async (histories, delays) => {
        let turn = 0;
        const next = () => delays[turn++ % delays.length] ?? 0;
        const store = await SlowStore.start(() => ({ effectMs: next(), answerMs: next() }));
        const gateway = await TestGateway.start({
          storeUrl: store.url,
          workers,
          arenaBytes: 16 * 1024 * 1024,
        });
        const urlOf = (worker: number) => gateway.url(worker % workers);
        try {
          await runHistories(urlOf, histories);
        } finally {
          await gateway.close();
          await store.close();
        }
      }),
      { numRuns: 12 },
    );
  },
);

it.each([1, 2])('the same with %d workers in front of the embedded store', async workers => {
  const store = await StoreUnderTest.start({});
  await store.put('/box');
  const gateway = await TestGateway.start({
    ...{ storeUrl: store.url, store: { credentials: { kind: 'static', ...OWNER } } },
    buckets: { b: { bucketAtStore: 'box' } },
    ...{ workers, clock: store.clock, arenaBytes: 16 * 1024 * 1024 },
  });
  const urlOf = (worker: number) => gateway.url(worker % workers);
  try {
    await fc.assert(
      fc.asyncProperty(actors, async histories => {
        for (const key of [0, 1]) await ask(urlOf, { method: 'DELETE', path: `/b/k${key}`, worker: 0 });
        await runHistories(urlOf, histories);
      }),
      { numRuns: 6 },
    );
  } finally {
    await gateway.close();
    await store.stop();
  }
});
