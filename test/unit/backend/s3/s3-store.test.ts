import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendAndCollect } from '../../../../src/backend/collected-reply.ts';
import { S3Store } from '../../../../src/backend/s3/s3-store.ts';
import type { StoreReceiver } from '../../../../src/backend/store.ts';
import { StoreMeter } from '../../../../src/backend/store-meter.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { StandInStore } from '../../../support/stand-in-store.ts';

let server: StandInStore;
let store: S3Store;
let metrics: Metrics;

beforeEach(async () => {
  server = await StandInStore.start();
  metrics = new Metrics();
  store = new S3Store({
    name: 'main',
    endpoint: server.url,
    region: 'us-east-1',
    addressing: 'path',
    headerPrefix: 'x-amz-',
    credentials: { kind: 'none' },
    connections: 2,
    queue: { size: 512, waitMs: 2_000 },
    minRateBytes: 1_024,
    timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
    clock: systemClock,
    meter: new StoreMeter(metrics),
  });
});

afterEach(async () => {
  await store.close();
  await server.close();
});

const request = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };

/** Requests counted, by the label `status`. */
async function counted(): Promise<Record<string, number>> {
  const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_requests_total');
  return Object.fromEntries((family?.values ?? []).map(({ labels, value }) => [labels.status, value]));
}

function receiver(more: Partial<StoreReceiver> = {}): StoreReceiver {
  const ignored = () => undefined;
  return { answered: ignored, arrived: ignored, ended: ignored, failed: ignored, ...more };
}

it('a request that is given up before the head of its answer counts as aborted', async () => {
  server.put('b', 'k', 'x');
  const gate = server.hold();
  const call = store.send(request, receiver());
  await server.log.arrival(1);
  call.abort();
  call.abort();
  gate.release();
  expect(await counted()).toEqual({ aborted: 1 });
});

it('one that is given up later counts by its status, and one that ends by itself does too', async () => {
  server.put('b', 'k', Buffer.alloc(1_000_000));
  await new Promise<void>(resolve => {
    const call = store.send(
      request,
      receiver({
        arrived: () => {
          call.abort();
          resolve();
        },
      }),
    );
  });
  const { body } = await sendAndCollect(store, { ...request, key: 'missing' }, { limitBytes: 10_000 });
  const bytes = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_bytes_total');
  expect(bytes?.values[0]?.value).toBeGreaterThan(body.length);
  expect(await counted()).toEqual({ 200: 1, 404: 1 });
});

it('one whose connection breaks before an answer counts by the way it failed', async () => {
  await server.close();
  await expect(sendAndCollect(store, request, { limitBytes: 0 })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  });
  expect(await counted()).toEqual({ unreachable: 1 });
  server = await StandInStore.start();
});

it('a call past the bounds is refused later in the turn, and is no request to the store', async () => {
  const gate = server.hold();
  server.put('b', 'k', 'x');
  const calls = Array.from({ length: 514 }, () =>
    sendAndCollect(store, { ...request, key: 'k' }, { limitBytes: 100 }),
  );
  await expect(calls[513]).rejects.toMatchObject({ code: 'BUSY' });
  await server.log.arrival(1);
  expect(server.log.requests.length).toBe(1);
  expect(await counted()).toEqual({});
  gate.release();
  const answers = await Promise.all(calls.slice(0, 513));
  expect(answers.every(({ body }) => body.toString() === 'x')).toBe(true);
});

it('a call that is given up while it waits is never sent, and its receiver hears nothing', async () => {
  const gate = server.hold();
  server.put('b', 'k', 'x');
  const first = sendAndCollect(store, request, { limitBytes: 100 });
  const heard: string[] = [];
  const waiting = store.send(
    request,
    receiver({ ended: () => heard.push('ended'), failed: () => heard.push('failed') }),
  );
  waiting.abort();
  await server.log.arrival(1);
  gate.release();
  await first;
  await sendAndCollect(store, request, { limitBytes: 100 });
  expect([server.log.requests.length, heard]).toEqual([2, []]);
});
