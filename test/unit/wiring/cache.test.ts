import { expect, it } from 'vitest';
import { Metrics } from '../../../src/base/metrics.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { allocateCache, purgeEverywhere } from '../../../src/wiring/cache.ts';
import { explainEverywhere } from '../../../src/wiring/explain.ts';

const config = parseConfig(
  `backends:
  main: { type: s3, endpoint: "http://x", keys: path }
  apart: { type: s3, endpoint: "http://y" }
buckets: { photos: { backend: main, access: verify }, apart: { backend: apart, access: verify } }`,
  {},
);

/** Workers that forget one object of seven bytes each time they are asked. */
function purging() {
  const asked: string[] = [];
  const pool = {
    callAll: (name: string) => {
      asked.push(name);
      return Promise.resolve(name === 'purge' ? [{ kind: 'counted', objects: 1, bytes: 7 }] : [undefined]);
    },
  };
  return { asked, pool: pool as unknown as Parameters<typeof explainEverywhere>[1] };
}

it.each([
  { kind: 'object', key: 'a//b' },
  { kind: 'object', key: '../b' },
  { kind: 'prefix', prefix: 'a/../' },
] as const)(
  'what a store of paths takes for another key is not purged, and the operator is told: %j',
  async named => {
    const { asked, pool } = purging();
    const purge = purgeEverywhere(
      { current: config },
      pool,
      new Metrics().counter('purges_total', 'Purges.', ['kind']),
    );
    const outcome = await purge({ ...named, bucket: 'photos', soft: false });
    expect(outcome).toEqual({ kind: 'alias', problem: expect.stringContaining('takes keys as paths') });
    expect(asked).toEqual([]);
    expect(await purge({ ...named, bucket: 'apart', soft: false })).toMatchObject({ kind: 'purged' });
  },
);

it('nor is it explained', async () => {
  const { asked, pool } = purging();
  const explain = explainEverywhere({ current: config }, pool);
  await expect(explain('photos', './a')).rejects.toMatchObject({ status: 400, code: 'KEY_MAY_MEAN_ANOTHER' });
  expect(asked).toEqual([]);
  expect(await explain('photos', 'a')).toMatchObject({ key: 'a' });
  expect(await explain('apart', './a')).toMatchObject({ key: './a' });
});

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'what every object has is no configured bucket: %s',
  async bucket => {
    const { asked, pool } = purging();
    const purge = purgeEverywhere(
      { current: config },
      pool,
      new Metrics().counter('purges_total', 'Purges.', ['kind']),
    );
    expect(await purge({ kind: 'bucket', bucket, soft: false })).toEqual({ kind: 'unknown-bucket' });
    expect(await explainEverywhere({ current: config }, pool)(bucket, 'k')).toBeUndefined();
    expect(asked).toEqual([]);
  },
);

it('a purge whose objects a worker does not count at once is pending, and one by tag needs no bucket', async () => {
  const counted = [{ kind: 'counted', objects: 1, bytes: 7 }];
  const answers = [
    [...counted, ...counted],
    [...counted, { kind: 'pending' }],
  ];
  const pool = { callAll: () => Promise.resolve(answers.shift()) };
  const purges = new Metrics().counter('purges_total', 'Purges.', ['kind']);
  const purge = purgeEverywhere(
    { current: config },
    pool as unknown as ReturnType<typeof purging>['pool'],
    purges,
  );
  expect(await purge({ kind: 'tag', tag: 't', soft: true })).toEqual({
    kind: 'purged',
    objects: 2,
    bytes: 14,
  });
  expect(await purge({ kind: 'tag', tag: 't', soft: false })).toEqual({ kind: 'pending' });
});

it.each([1, 2, 8])(
  'blocks of %d workers, their tables and what is left for records take what is configured',
  workers => {
    const { shared, recordBytesPerWorker, nearBytesPerWorker } = allocateCache(config, workers, false);
    const { segments, tags, visits, pins } = shared;
    const sharedBytes = [...segments, tags, visits, ...pins].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
    const { sizeBytes } = config.cache.memory;
    const { webBytes, objectBytes } = nearBytesPerWorker;
    const ofEachBytes = recordBytesPerWorker + webBytes + objectBytes;
    expect(sharedBytes + workers * ofEachBytes).toBeLessThan(sizeBytes);
    expect(sharedBytes).toBeGreaterThan(0.7 * sizeBytes);
  },
);

it.each([
  ['one worker', 1, '1MiB', 1 / 32],
  ['one worker and short blocks, each of which costs heap', 1, '4KiB', 1 / 16],
  ['several workers', 2, '1MiB', 1 / 16],
])('the share of records: %s', (_what, workers, blockSize, share) => {
  const yaml = `backends: { main: { type: s3, endpoint: "http://x" } }
buckets: { b: { backend: main, access: verify, rules: [{ keys: ["*.x"], cache: { blockSize: ${blockSize} } }] } }`;
  const short = parseConfig(yaml, {});
  const { recordBytesPerWorker } = allocateCache(short, workers, false);
  expect(workers * recordBytesPerWorker).toBe(short.cache.memory.sizeBytes * share);
});
