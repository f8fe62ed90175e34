import { afterEach, beforeEach, expect, it } from 'vitest';
import { Breaker } from '../../../../src/backend/breaker/breaker.ts';
import type { BreakerState } from '../../../../src/backend/breaker/breaker-state.ts';
import { allocateBreakers, encodeState } from '../../../../src/backend/breaker/breaker-word.ts';
import { sendAndCollect } from '../../../../src/backend/collected-reply.ts';
import { S3Store } from '../../../../src/backend/s3/s3-store.ts';
import { StoreMeter } from '../../../../src/backend/store-meter.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { StandInStore } from '../../../support/stand-in-store.ts';

const breakerSettings = {
  ...{ threshold: 0.5, minRequests: 20, windowMs: 10_000 },
  ...{ openMs: 5_000, probes: 3, questionMs: 5_000 },
};
const keys = ['a', 'b', 'c', 'd'];
const words = allocateBreakers(1);
let server: StandInStore;
let store: S3Store;
let metrics: Metrics;
let clock: ManualClock;

const read = (key: string) =>
  sendAndCollect(store, { method: 'GET', bucket: 'b', key, query: '', fields: [] }, { limitBytes: 100 });

/** Another thread has found the store in this state. */
function become(state: BreakerState): void {
  words[0] = encodeState(state, 0);
}

/** Second requests so far. */
async function hedges(): Promise<number> {
  const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_hedges_total');
  return (family?.values ?? []).reduce((sum, { value }) => sum + value, 0);
}

beforeEach(async () => {
  become({ kind: 'closed', sinceMs: 0 });
  server = await StandInStore.start();
  for (const key of keys) server.put('b', key, 'x');
  metrics = new Metrics();
  clock = new ManualClock();
  store = new S3Store({
    ...{
      name: 'main',
      endpoint: server.url,
      region: 'us-east-1',
      addressing: 'path',
      headerPrefix: 'x-amz-',
    },
    ...{ credentials: { kind: 'none' }, connections: 4, queue: { size: 512, waitMs: 60_000 } },
    ...{ minRateBytes: 0, timeouts: { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000 } },
    ...{ clock, meter: new StoreMeter(metrics), hedge: { quantile: 0.5, share: 0.05 } },
    breaker: new Breaker({
      ...{ settings: breakerSettings, words, index: 0, address: 0, clock, changed: () => undefined },
    }),
  });
  for (let answered = 0; answered < 100; answered++) await read('a');
});

afterEach(async () => {
  await store.close();
  await server.close();
});

it.each<[number, string, number, BreakerState | undefined]>([
  [1, 'while a connection is free', 1, undefined],
  [0, 'while all connections are in use', 4, undefined],
  [0, 'once another thread has found that the store fails', 1, { kind: 'open', untilMs: 1e6 }],
  [0, 'while it is asked whether it answers again', 1, { kind: 'half-open', untilMs: 1e6, succeeded: 0 }],
])('%i second requests are sent for slow reads %s', async (second, _, reads, state) => {
  const gate = server.hold();
  const slow = keys.slice(0, reads).map(read);
  await server.log.arrival(100 + reads);
  if (state) become(state);
  clock.advance(1_000);
  if (second > 0) await server.log.arrival(100 + reads + second);
  gate.release();
  for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
  expect(await hedges()).toBe(second);
});
