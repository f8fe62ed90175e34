import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { queueAccount, StandInQueue } from '../support/stand-in-queue.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const timeout = 10_000;
let store: StandInStore;
let queue: StandInQueue;
let gateway: GatewayProcess | undefined;

beforeEach(async () => {
  store = await StandInStore.start();
  queue = await StandInQueue.start();
});

afterEach(async () => {
  await gateway?.stop();
  queue.stop();
  await store.close();
});

/** Two workers that believe for a day what they hold. */
const setup = (events?: object): GatewaySetup => ({
  backends: { store: { type: 's3', endpoint: store.url, keys: 'exact' } },
  buckets: { photos: { backend: 'store', access: 'public', cache: { ttl: '1d', maxTtl: '1d' } } },
  memory: '64MiB',
  workers: 2,
  ...(events && { events }),
});

const queued = () => ({ queue: { url: queue.url, credentials: queueAccount, backend: 'store' } });
const changed = (key: string) =>
  JSON.stringify({
    Records: [{ eventName: 'ObjectCreated:Put', s3: { bucket: { name: 'photos' }, object: { key } } }],
  });

it('what a message tells of is fresh on all workers before the message is deleted, and a bad one stays', async () => {
  store.put('photos', 'a.txt', 'before');
  gateway = await GatewayProcess.start(setup(queued()));
  const read = async () => (await fetch(`${gateway?.url}/photos/a.txt`, { keepalive: false })).text();
  const readOften = async () => new Set(await Promise.all(Array.from({ length: 20 }, read)));
  expect(await readOften()).toEqual(new Set(['before']));
  store.put('photos', 'a.txt', 'after');
  expect(await readOften()).toEqual(new Set(['before']));
  queue.send('no event');
  const receipt = queue.send(changed('a.txt'));
  await expect.poll(() => queue.deleted, { timeout }).toEqual([receipt]);
  expect(await readOften()).toEqual(new Set(['after']));
  const metrics = await gateway.metrics();
  expect(metrics.total('events_total', { result: 'invalidated' })).toBe(1);
  expect(metrics.total('events_queue_messages_total', { outcome: 'malformed' })).toBe(1);
  expect(gateway.output).toContain('the body is not valid JSON');
});

it('one reader for all workers, which a reload takes away and brings back, and which a stop does not wait for', async () => {
  gateway = await GatewayProcess.start(setup());
  expect((await gateway.reload()).status).toBe(200);
  expect(queue.questions).toEqual([]);
  gateway.rewrite(setup(queued()));
  expect(await gateway.reload()).toMatchObject({
    status: 200,
    said: { changed: [{ path: 'events.queue' }] },
  });
  await expect.poll(() => queue.waiting, { timeout }).toBe(1);
  gateway.rewrite(setup());
  await gateway.reload();
  await expect.poll(() => queue.waiting, { timeout }).toBe(0);
  gateway.rewrite(setup(queued()));
  await gateway.reload();
  await expect.poll(() => queue.waiting, { timeout }).toBe(1);
  expect(queue.questions).toHaveLength(2);
  expect(await gateway.halt()).toBe(0);
  expect(queue.waiting).toBe(0);
  expect(queue.questions).toHaveLength(2);
});
