import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { StoreProbes } from '../../../src/wiring/store-probes.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const config = (probe: string) =>
  parseConfig(
    `backends:
  main: { type: s3, endpoint: "http://x"${probe} }
  other: { type: s3, endpoint: "http://y" }
buckets:
  "*": { backend: main, access: verify }
  photos: { backend: main, bucket: photos-production, access: verify }`,
    {},
  );

it('asks the backends that are to be asked for their first bucket, and as a reload says from then on', () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const storeOf = (name: string) => ({
    send: ({ method, bucket }: { method: string; bucket: string | undefined }, to: { ended(): void }) => {
      asked.push(`${name} ${method} ${bucket}`);
      to.ended();
      return { pause: () => {}, resume: () => {}, took: () => {}, abort: () => {} };
    },
  });
  const stores = new Map(['main', 'other'].map(name => [name, storeOf(name)]));
  const probes = new StoreProbes(clock);
  probes.use(config(', probe: {}'), stores);
  clock.advance(20_000);
  expect(asked).toEqual(['main HEAD photos-production', 'main HEAD photos-production']);
  probes.use(config(', probe: { every: 30s }'), stores);
  clock.advance(30_000);
  expect(asked).toHaveLength(3);
  probes.use(config(''), stores);
  clock.advance(300_000);
  expect(asked).toHaveLength(3);
});
