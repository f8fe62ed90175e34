import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, whileTimePasses } from '../../support/manual-clock.ts';
import { patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const workers = 2;
/** Fresh for a minute, then served for ten more where the store fails. */
const policy = { ttlMs: 60_000, staleIfErrorMs: 600_000 };
const origin = { origin: 'https://app.example' };
let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  store = await StandInStore.start();
  await start();
});

async function start(options: Partial<TestGatewayOptions> = {}): Promise<void> {
  // no repeats: time stands still between them
  const mayRepeat = { connections: 1, random: () => 0 };
  gateway = await TestGateway.start({
    storeUrl: store.url,
    workers,
    clock,
    policy,
    store: mayRepeat,
    ...options,
  });
}

afterEach(async () => {
  await gateway.close();
  await store.close();
});

interface Read {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly worker?: number;
}

/** Reads although the store may be asked again after a while. */
function read({ method = 'GET', path = '/b/k', headers, worker }: Read = {}): Promise<TestAnswer> {
  return whileTimePasses(clock, gateway.send(method, path, headers, worker));
}

/** An object `k` that was read in these ways, and is stale since a second. */
async function holdStale(...reads: readonly Read[]): Promise<void> {
  store.put('b', 'k', 'held', { headers: { 'x-amz-version-id': 'v1' } });
  for (const each of reads.length > 0 ? reads : [{}]) expect((await read(each)).status).toBe(200);
  clock.advance(61_000);
}

/** The store answers `status` to `how`, and so the client learns. */
async function refuse(status: number, how: Read = {}, headers: Record<string, string> = {}): Promise<void> {
  store.faults.next({ kind: 'answer', status, headers }, 3);
  expect((await read(how)).status).toBe(status);
  store.faults.clear();
}

/** What `how` gets while the store fails. */
async function readInOutage(how: Read = {}): Promise<string> {
  // what was remembered of a refusal is over
  clock.advance(6_000);
  store.faults.next({ kind: 'answer', status: 503 }, 10);
  const { status, headers } = await read(how);
  store.faults.clear();
  return `${status} ${headers['x-cache']}`;
}

describe('law 6: what the store has refused since it confirmed it is not served when the store fails', () => {
  it.each([301, 400, 401, 403, 404, 405, 407, 409, 410])('refused with %s', async status => {
    await holdStale();
    await refuse(status);
    expect(await readInOutage()).toBe('503 MISS');
  });

  it('and a broken connection is a failure, too', async () => {
    await holdStale();
    await refuse(403);
    const { port } = store;
    await store.close();
    expect((await read()).status).toBe(503);
    store = await StandInStore.start({ port });
  });

  it('whichever worker asks', async () => {
    await holdStale({ worker: 0 }, { worker: 1 });
    await refuse(403, { worker: 0 });
    for (const worker of [0, 1]) expect(await readInOutage({ worker })).toBe('503 MISS');
  });

  it.each([
    ['GET', 'HEAD'],
    ['HEAD', 'GET'],
  ])('refused to %s, and then asked for by %s', async (refused, asked) => {
    await holdStale();
    await refuse(403, { method: refused });
    expect(await readInOutage({ method: asked })).toBe('503 MISS');
  });

  it.each([403, 404])('refused to a reader with or without an Origin (%s)', async status => {
    await holdStale({}, { headers: origin });
    await refuse(status, { headers: origin });
    expect(await readInOutage()).toBe('503 MISS');
    expect((await read()).status).toBe(200);
    expect((await read({ headers: origin })).status).toBe(200);
    clock.advance(61_000);
    await refuse(status);
    expect(await readInOutage({ headers: origin })).toBe('503 MISS');
  });

  it('refused to an Origin that has never read it', async () => {
    await holdStale();
    await refuse(403, { headers: { origin: 'https://other.example' } });
    expect(await readInOutage()).toBe('503 MISS');
  });

  it.each([
    ['/b/k?versionId=v1', '/b/k'],
    ['/b/k', '/b/k?versionId=v1'],
  ])('refused as %s, and then asked for as %s', async (refused, asked) => {
    await holdStale({ path: '/b/k' }, { path: '/b/k?versionId=v1' });
    await refuse(403, { path: refused });
    expect(await readInOutage({ path: asked })).toBe('503 MISS');
  });

  it('refused by a version id that the store does not repeat in its answers', async () => {
    const path = '/b/k?versionId=null';
    store.put('b', 'k', 'held');
    expect((await read({ path })).status).toBe(200);
    clock.advance(61_000);
    await refuse(403, { path });
    expect(await readInOutage({ path })).toBe('503 MISS');
  });

  it('refused with what must not be stored', async () => {
    await holdStale();
    await refuse(404, {}, { 'cache-control': 'no-store' });
    expect(await readInOutage()).toBe('503 MISS');
  });

  it('refused when some of its bytes were missing', async () => {
    store.put('b', 'k', patternContent(3 * mebibyte));
    const held = { headers: { range: 'bytes=0-99' } };
    for (const worker of [0, 1]) await read({ ...held, worker });
    store.faults.next({ kind: 'answer', status: 403 }, 10);
    for (const worker of [0, 1])
      expect((await read({ headers: { range: 'bytes=2500000-2500099' }, worker })).status).toBe(403);
    store.faults.clear();
    clock.advance(61_000);
    expect(await readInOutage(held)).toBe('503 MISS');
  });

  it('nor what it has answered with no-store since', async () => {
    await holdStale();
    store.put('b', 'k', 'held', { headers: { 'cache-control': 'no-store' } });
    expect((await read()).status).toBe(200);
    expect(await readInOutage()).toBe('503 MISS');
  });
});

describe('it is served', () => {
  it.each([413, 414, 431])('when a request was refused for its length (%s)', async status => {
    await holdStale();
    await refuse(status, { headers: origin });
    expect(await readInOutage()).toBe('200 STALE');
  });

  it('when somebody sends an Origin of a length that no browser sends, which the store is not told', async () => {
    await holdStale();
    const before = store.log.requests.length;
    for (const length of [512, 513]) await read({ headers: { origin: 'o'.repeat(length) } });
    const told = store.log.requests.slice(before).map(({ headers }) => headers.origin?.length);
    expect(told).toEqual([512, undefined]);
  });

  it('once the store has confirmed it again', async () => {
    await holdStale();
    await refuse(403);
    expect((await read()).headers['x-cache']).toBe('REVALIDATED');
    clock.advance(61_000);
    expect(await readInOutage()).toBe('200 STALE');
  });

  it.each([408, 425, 429, 501, 507])('after %s, which says nothing of the object', async status => {
    await holdStale();
    await refuse(status);
    expect(await readInOutage()).toBe('200 STALE');
  });

  it('although the store refuses what a reader has added: another owner, who pays, another version', async () => {
    // who has not signed cannot be charged
    await gateway.close();
    await start({
      authenticate: () => ({ kind: 'client', accessKeyId: 'AKID', payload: { kind: 'unsigned' } }),
    });
    await holdStale();
    await refuse(403, { headers: { 'x-amz-expected-bucket-owner': '111122223333' } });
    await refuse(403, { headers: { 'x-amz-request-payer': 'requester' } });
    await refuse(404, { path: '/b/k?versionId=v2' });
    expect(await readInOutage()).toBe('200 STALE');
  });

  it('although the object has not the part that a reader wants', async () => {
    await holdStale();
    // the object is confirmed first
    store.faults.next({ kind: 'range-ignored' });
    await refuse(400, { path: '/b/k?partNumber=7' });
    clock.advance(61_000);
    expect(await readInOutage()).toBe('200 STALE');
  });

  it('but not if it had agreed to what was added, and no longer does', async () => {
    const owner = { 'x-amz-expected-bucket-owner': '111122223333' };
    await holdStale({}, { headers: owner });
    await refuse(403, { headers: owner });
    expect(await readInOutage()).toBe('503 MISS');
  });
});

describe.each([1, 2])('a part of what is held and fresh (%i workers)', among => {
  beforeEach(async () => {
    await gateway.close();
    await start({ workers: among });
    store.put('b', 'k', 'held');
    for (let worker = 0; worker < among; worker++) await read({ worker });
  });

  const path = '/b/k?partNumber=7';
  /** What each worker answers, and what the store was asked for it. */
  const answered = async (how: Read = {}) => {
    const all: (readonly [number, string])[] = [];
    for (let worker = 0; worker < among; worker++) {
      const { status, headers } = await read({ ...how, worker });
      all.push([status, String(headers['x-cache'])]);
    }
    return all;
  };
  const eachHits = Array.from({ length: among }, () => [200, 'HIT']);

  it.each(['GET', 'HEAD'])('refused to %s with 404: the next reader asks', async method => {
    for (let worker = 0; worker < among; worker++) {
      await refuse(404, { method, path, worker });
      expect((await answered())[0]).toEqual([200, 'REVALIDATED']);
      expect(await answered()).toEqual(eachHits);
    }
    await refuse(404, { method, path });
    store.remove('b', 'k');
    expect((await answered()).map(([status]) => status)).toEqual(eachHits.map(() => 404));
  });

  it('refused with 404: what is held is not served where the store fails then', async () => {
    await refuse(404, { path });
    expect(await readInOutage()).toBe('503 MISS');
  });

  it.each([
    [416, 'InvalidPartNumber'],
    [400, 'InvalidPart'],
    [404, 'InvalidPart'],
  ])('that the object does not have (%i %s): it stays', async (status, code) => {
    const body = `<Error><Code>${code}</Code></Error>`;
    store.faults.next({ kind: 'answer', status, body }, 1);
    expect((await read({ path })).status).toBe(status);
    store.faults.clear();
    expect(await answered()).toEqual(eachHits);
  });
});
