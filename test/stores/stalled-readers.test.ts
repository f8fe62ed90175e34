import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { residentBytes } from '../bench/process-cost.ts';
import { bucket } from '../bench/store-command.ts';
import { StoreProcess } from '../bench/store-process.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { MemoryKinds, watchMemory } from './memory-kinds.ts';
import { controlMs, type Probe, probe } from './probe.ts';
import { type Received, SmallReaders } from './small-readers.ts';

const mebibyte = 1_048_576;
const memoryBytes = 64 * mebibyte;
const stalledReaders = 200;
const stalledObjects = 40;
const stalledBytes = 16 * mebibyte;
/** So many of the stalled readers read to the end, when others have been served; the rest reads some pieces more. */
const readToEnd = 6;
const readOnBytes = 1.5 * mebibyte;
/** Objects of which the store gets another version while others read them. */
const replacedObjects = 4;
const probeRounds = 12;
const probeEveryMs = 250;
const headLimitMs = 2_000;
/** Connections come to workers by chance: so many at the same time come to most of them. */
const controlsAtOnce = 6;
/** Of what a response keeps for itself, beside the memory of the cache. */
const copyBytes = 64 * 1024;
/** So many requests for the metrics are made in a run. */
const scrapes = 40;
/** What the heaps of a worker may grow by when it gets something to do: the README has measured figures. */
const heapBytesPerWorker = 96 * mebibyte;

/** Number of the object that a path names. */
const numbers = new Map<string, number>();
const started: { stop(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of started.splice(0).reverse()) await one.stop();
  numbers.clear();
});

async function put(store: StoreProcess, name: string, sizeBytes: number, version = 1): Promise<string> {
  const path = `/${bucket}/${name}`;
  const object = numbers.get(path) ?? numbers.size;
  numbers.set(path, object);
  await store.put({ key: name, sizeBytes, origin: { object, version } });
  return path;
}

async function putMany(store: StoreProcess, count: number, name: string, sizeBytes: number, version = 1) {
  const paths: string[] = [];
  for (let index = 0; index < count; index++)
    paths.push(await put(store, `${name}-${index}`, sizeBytes, version));
  return paths;
}

function read(gateway: GatewayProcess, path: string): Promise<Probe> {
  return probe(gateway.url, path, objectOf(path));
}

function objectOf(path: string): number {
  const object = numbers.get(path);
  if (object === undefined) throw new Error(`no object ${path}`);
  return object;
}

interface Control {
  readonly atMs: number;
  readonly tookMs: number;
}

/** The way of a miss: to the gateway, to the store, and to the gateway again, none of which has anything to wait for. */
async function control(gateway: GatewayProcess, store: StoreProcess): Promise<Control> {
  const atMs = performance.now();
  const nothing = `${gateway.url}/no-such-bucket/key`;
  const goThere = async () => {
    for (const url of [nothing, store.urlOf('none'), nothing]) await controlMs(url);
  };
  await Promise.all(Array.from({ length: controlsAtOnce }, goThere));
  return { atMs, tookMs: performance.now() - atMs };
}

/** Kept when the store sends nothing more: the system has taken all that it does for clients that do not read. */
async function storeIsQuiet(store: StoreProcess): Promise<void> {
  let before = -1;
  const hasMoved = async () => {
    const { bodyBytes } = await store.report();
    const moved = bodyBytes !== before;
    before = bodyBytes;
    return moved;
  };
  await expect.poll(hasMoved, { interval: 1_000, timeout: 60_000 }).toBe(false);
}

/** How often the store was asked for one of `paths`. */
async function askedOf(store: StoreProcess, paths: readonly string[]): Promise<number> {
  const { requests } = await store.report();
  return requests.filter(({ url }) => paths.includes(url)).length;
}

/** The slowest of the controls that were under way while `one` waited for its head. */
function slownessBeside({ startedMs, headMs }: Probe, controls: readonly Control[]): number {
  const beside = controls.filter(
    ({ atMs, tookMs }) => atMs < startedMs + headMs && atMs + tookMs > startedMs,
  );
  return Math.max(0, ...beside.map(({ tookMs }) => tookMs));
}

/** Neither all of what was promised, nor the beginning of it on a connection that was closed, nor sent away. */
function isBroken({ status, promised, bytes, isCut, wrong }: Received): boolean {
  if (status === 503) return false;
  if (status !== 200 || promised !== stalledBytes || wrong !== null) return true;
  // cut is one that stalled for too long, or whose object was replaced: somewhere before its end
  return isCut ? bytes >= promised : bytes < Math.min(promised, readOnBytes);
}

it.each([1, 2, 4])(
  '%d workers, 200 readers with receive buffers of 8 KiB that take nothing: others get a head or 503 in two seconds',
  async workers => {
    const store = await StoreProcess.start();
    started.push(store);
    const stalled = await putMany(store, stalledObjects, 'stalled', stalledBytes);
    const small = await putMany(store, probeRounds, 'small', 4096);
    const large = await putMany(store, probeRounds, 'large', 8 * mebibyte);
    const hot = await putMany(store, 10, 'hot', 64 * 1024);
    const more = await putMany(store, 6, 'more', 8 * mebibyte);
    const gateway = await GatewayProcess.start({
      backends: { store: { type: 's3', endpoint: store.url } },
      buckets: { [bucket]: { backend: 'store', access: 'public', cache: { ttl: '1h' } } },
      memory: '64MiB',
      workers,
      nodeArguments: [watchMemory],
    });
    started.push(gateway);
    for (let time = 0; time < 5; time++) for (const path of hot) await read(gateway, path);
    // what the supervisor takes to be asked for its metrics is not the readers'
    for (let time = 0; time < scrapes; time++) await gateway.metrics();
    const idleBytes = residentBytes(gateway.pid).now;
    const memory = new MemoryKinds(gateway);

    const readers = await SmallReaders.start({
      url: gateway.url,
      count: stalledReaders,
      bufferBytes: 8192,
      objects: stalled.map(path => ({ path, object: objectOf(path) })),
    });
    started.push(readers);
    const misses: Promise<Probe>[] = [];
    const controls: Promise<Control>[] = [];
    let mostInFlight = 0;
    for (let round = 0; round < probeRounds; round++) {
      for (const paths of [small, large, hot]) misses.push(read(gateway, paths[round % paths.length] ?? ''));
      controls.push(control(gateway, store));
      if (round === probeRounds / 2) await putMany(store, replacedObjects, 'stalled', stalledBytes, 2);
      mostInFlight = Math.max(mostInFlight, (await gateway.metrics()).total('requests_in_flight'));
      await wait(probeEveryMs);
    }
    await storeIsQuiet(store);
    for (let time = 0; time < 5 * workers; time++) for (const path of hot) await read(gateway, path);
    const hotAsked = await askedOf(store, hot);
    const hits: Promise<Probe>[] = [];
    for (const path of more) {
      misses.push(read(gateway, path));
      for (const hotPath of hot) hits.push(read(gateway, hotPath));
      controls.push(control(gateway, store));
      await Promise.all(hits);
    }
    const missed = await Promise.all(misses);
    const hit = await Promise.all(hits);
    const slowness = await Promise.all(controls);
    const late = (one: Probe) => one.headMs > headLimitMs + slownessBeside(one, slowness);
    expect([...missed, ...hit].filter(late)).toEqual([]);
    expect(missed.filter(one => one.status !== 200 && !(one.status === 503 && one.retryAfter))).toEqual([]);
    const served = [...missed, ...hit].filter(({ status }) => status === 200);
    expect(served.filter(({ wrong, isWhole }) => wrong !== undefined || !isWhole)).toEqual([]);
    expect(served.length).toBeGreaterThan((missed.length + hit.length) / 2);
    expect((await askedOf(store, hot)) - hotAsked, 'all of them are held').toBe(0);
    expect(hotAsked, 'each was fetched once, also while the readers came').toBe(hot.length);
    expect(hit.filter(({ status, cache }) => status !== 200 || cache !== 'HIT')).toEqual([]);
    expect(mostInFlight).toBeGreaterThanOrEqual(stalledReaders / 2);

    const grownBytes = residentBytes(gateway.pid).peak - idleBytes;
    const limitBytes = memoryBytes + mostInFlight * copyBytes + workers * heapBytesPerWorker;
    const cut = (await gateway.metrics()).total('requests_shed_total', { reason: 'stalled' });
    process.stdout.write(
      `${workers} workers: ${Math.round(grownBytes / mebibyte)} MiB over idle, ${Math.round(limitBytes / mebibyte)} allowed; ${mostInFlight} in flight, ${cut} cut; ${memory.words}\n`,
    );
    expect(grownBytes, memory.words).toBeLessThan(limitBytes);
    // readers with copies hold no memory of the cache, and nobody has to be cut for it
    expect(cut).toBeLessThanOrEqual(stalledReaders / 10);

    expect((await readers.read(stalledReaders, readOnBytes)).filter(isBroken)).toEqual([]);
    const ended = await readers.read(readToEnd, stalledBytes);
    expect(ended.filter(one => isBroken(one))).toEqual([]);
    expect(
      ended.filter(({ status, bytes, isCut }) => status === 200 && !isCut && bytes !== stalledBytes),
    ).toEqual([]);
    await readers.stop();
    for (const path of stalled.slice(0, replacedObjects)) await readReplaced(gateway, path);
    for (const figure of ['requests_in_flight', 'fills_in_flight'])
      await expect.poll(async () => (await gateway.metrics()).total(figure), { timeout: 10_000 }).toBe(0);
    for (const path of [...large.slice(0, 4), ...hot])
      expect(await read(gateway, path)).toMatchObject({ status: 200, wrong: undefined, isWhole: true });
  },
);

/** The version before is given as long as its bytes are there, and cut off where they are not: never mixed with the next. */
async function readReplaced(gateway: GatewayProcess, path: string): Promise<void> {
  const answer = await read(gateway, path);
  expect(answer).toMatchObject({ status: 200, wrong: undefined });
  if (answer.isWhole) return;
  expect(answer.version).toBe(1);
  expect(await read(gateway, path)).toMatchObject({
    status: 200,
    wrong: undefined,
    version: 2,
    isWhole: true,
  });
}
