import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { holdsAt, patternContent } from '../support/stand-in/content.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const timeout = 10_000;
const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: GatewayProcess | undefined;

beforeEach(async () => {
  store = await StandInStore.start();
});

afterEach(async () => {
  await gateway?.stop();
  await store.close();
});

/** Two workers that believe for a day what they hold. */
const setup = (rules: readonly object[] = [{ keys: ['**'], onChange: 'warm' }]): GatewaySetup => ({
  backends: { store: { type: 's3', endpoint: store.url, keys: 'exact' } },
  buckets: { photos: { backend: 'store', access: 'public', cache: { ttl: '1d', maxTtl: '1d' }, rules } },
  memory: '64MiB',
  workers: 2,
});

async function tell(key: string, eventName = 'ObjectCreated:Put'): Promise<object> {
  const answer = await fetch(`${gateway?.adminUrl}/api/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Records: [{ eventName, s3: { bucket: { name: 'photos' }, object: { key } } }] }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as object;
}

const read = (key: string) => fetch(`${gateway?.url}/photos/${key}`, { keepalive: false });
const outcomes = async (outcome: string) =>
  (await gateway?.metrics())?.total('events_warming_objects_total', { outcome }) ?? 0;

it('law 5: what was written is invalidated when the event is answered, and read whole behind that, by no client', async () => {
  gateway = await GatewayProcess.start(setup());
  store.put('photos', 'a.bin', patternContent(3 * mebibyte, 1));
  await (await read('a.bin')).arrayBuffer();
  store.put('photos', 'a.bin', patternContent(3 * mebibyte, 2));
  store.log.clear();
  const gate = store.hold();
  expect(await tell('a.bin')).toMatchObject({ events: 1, invalidated: 1 });
  await store.log.arrival(1);
  expect(await outcomes('warmed')).toBe(0);
  gate.release();
  await expect.poll(() => outcomes('warmed'), { timeout }).toBe(1);
  store.log.clear();
  for (let times = 0; times < 8; times++) {
    const answer = await read('a.bin');
    expect(holdsAt(patternContent(3 * mebibyte, 2), 0, Buffer.from(await answer.arrayBuffer()))).toBe(true);
  }
  expect(store.log.requests).toEqual([]);
});

it('a deletion reads nothing, and an event that comes late finds nothing and harms nothing', async () => {
  gateway = await GatewayProcess.start(setup());
  store.put('photos', 'a.txt', 'text');
  await (await read('a.txt')).text();
  store.log.clear();
  await tell('a.txt', 'ObjectRemoved:Delete');
  await tell('gone.txt');
  await expect.poll(() => outcomes('refused'), { timeout }).toBe(1);
  expect(store.log.requests.map(({ url }) => url)).toEqual(['/photos/gone.txt']);
  store.put('photos', 'gone.txt', 'back');
  await tell('gone.txt');
  await expect.poll(() => outcomes('warmed'), { timeout }).toBe(1);
  expect(await (await read('gone.txt')).text()).toBe('back');
});

it('the rules in force decide, also of what waits since before a reload', async () => {
  gateway = await GatewayProcess.start(setup());
  const gate = store.hold();
  for (const key of ['1', '2', '3', '4', '5', '6']) {
    store.put('photos', key, key);
    await tell(key);
  }
  await store.log.arrival(4);
  gateway.rewrite(setup([{ keys: ['6'], onChange: 'warm' }]));
  expect(await gateway.reload()).toMatchObject({ status: 200 });
  gate.release();
  await expect.poll(() => outcomes('warmed'), { timeout }).toBe(5);
  expect(await outcomes('uncached')).toBe(1);
  expect(store.log.requests.map(({ url }) => url).toSorted()).not.toContain('/photos/5');
  await tell('1');
  await tell('6');
  await expect.poll(() => outcomes('warmed'), { timeout }).toBe(6);
});

it('a stop waits for nothing that was to be read', async () => {
  gateway = await GatewayProcess.start(setup());
  store.put('photos', 'k', 'k');
  const gate = store.hold();
  await tell('k');
  await store.log.arrival(1);
  expect(await gateway.halt()).toBe(0);
  gate.release();
});
