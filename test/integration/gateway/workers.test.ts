import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerOf } from '../../../src/cache/object-key.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { SlotTexts } from '../../../src/cache/slot-texts.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { testKey } from '../../support/object-keys.ts';
import { copyOf, holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const workers = 3;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, workers, arenaBytes: 96 * mebibyte });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

const everyWorker = Array.from({ length: workers }, (_, worker) => worker);

it('law 4: readers at every worker cost one copy of the object', async () => {
  const content = patternContent(12 * mebibyte);
  store.put('b', 'shared.bin', content);
  const readers = Array.from({ length: 12 }, (_, index) => gateway.get('/b/shared.bin', {}, index % workers));
  for (const answer of await Promise.all(readers)) expect(answer.body.equals(copyOf(content))).toBe(true);
  expect(store.log.bodyBytes).toBe(content.sizeBytes);
});

it('a worker that does not own an object serves it again without asking the owner', async () => {
  for (let index = 0; index < 10; index++) store.put('b', `k${index}`, `body ${index}`);
  for (const round of ['cold', 'near', 'again']) {
    for (const worker of everyWorker) {
      for (let index = 0; index < 10; index++) {
        const answer = await gateway.get(`/b/k${index}`, {}, worker);
        expect(`${round}: ${answer.body}`).toBe(`${round}: body ${index}`);
        if (round === 'again') expect(answer.headers['x-cache']).toBe('HIT');
      }
    }
  }
  expect(store.log.requests).toHaveLength(10);
});

describe('what the owner holds is told as a hit by each other worker from the first read on', () => {
  const sizeBytes = 3 * mebibyte + 1;
  const hit = {
    'x-cache': 'HIT',
    'cache-status': expect.stringMatching(/^tidegate; hit; ttl=\d+$/),
    age: expect.any(String),
  };

  it.each([{}, { range: 'bytes=5-9' }, { range: `bytes=${mebibyte - 5}-${2 * mebibyte}` }])(
    '%j',
    async headers => {
      for (let index = 0; index < 6; index++) {
        store.put('b', `k${index}`, patternContent(sizeBytes));
        await gateway.get(`/b/k${index}`, {}, index % workers);
        const before = store.log.requests.length;
        for (const worker of everyWorker)
          expect((await gateway.get(`/b/k${index}`, headers, worker)).headers).toMatchObject(hit);
        expect(store.log.requests).toHaveLength(before);
      }
    },
  );

  it('and of a range what is missing of it', async () => {
    for (let index = 0; index < 6; index++) {
      const [path, owner] = [`/b/k${index}`, ownerOf(testKey('main', 'b', `k${index}`).hash, workers)];
      store.put('b', `k${index}`, patternContent(sizeBytes));
      const other = (owner + 1) % workers;
      await gateway.get(path, { range: 'bytes=0-9' }, owner);
      const answer = await gateway.get(path, { range: `bytes=${2 * mebibyte}-${2 * mebibyte + 1}` }, other);
      expect(answer.headers).toMatchObject({
        'x-cache': 'MISS',
        'cache-status': 'tidegate; fwd=partial; stored',
      });
      const both = await gateway.get(
        path,
        { range: `bytes=${mebibyte}-${3 * mebibyte}` },
        (owner + 2) % workers,
      );
      expect(both.headers).toMatchObject({
        'x-cache': 'PARTIAL',
        'cache-status': 'tidegate; fwd=partial; stored',
      });
    }
  });
});

describe('row 127: the store charges for what it is asked for, at whichever worker', () => {
  const headers = { 'x-amz-request-charged': 'requester' };
  const [fetched, held] = [
    ['MISS', 'requester', true],
    ['HIT', undefined, false],
  ];

  /** Reads of one new object by the worker that owns it (0) and by others: the cache, the charge, and whether the store was asked. */
  function readsOf(key: string, sizeBytes: number) {
    const owner = ownerOf(testKey('main', 'b', key).hash, workers);
    store.put('b', key, patternContent(sizeBytes), { headers });
    return async (worker: number, range?: string) => {
      const before = store.log.requests.length;
      const asked = range === undefined ? {} : { range };
      const answer = await gateway.get(`/b/${key}`, asked, (owner + worker) % workers);
      const isAsked = store.log.requests.length > before;
      return [answer.headers['x-cache'], answer.headers['x-amz-request-charged'], isAsked];
    };
  }

  it.each([3 * mebibyte + 1, 10_000])('and not for what its owner holds: %d bytes', async sizeBytes => {
    for (let index = 0; index < 6; index++) {
      const read = readsOf(`k${index}`, sizeBytes);
      const order = [index % workers, (index + 1) % workers, (index + 2) % workers, index % workers];
      const answers = [];
      for (const worker of order) answers.push(await read(worker));
      expect(answers).toEqual([fetched, held, held, held]);
    }
  });

  it('and for what its owner does not hold', async () => {
    const read = readsOf('k', 3 * mebibyte + 1);
    expect(await read(1, 'bytes=0-9')).toEqual(fetched);
    expect(await read(2, 'bytes=0-9')).toEqual(held);
    expect(await read(2, `bytes=${mebibyte}-${2 * mebibyte - 1}`)).toEqual(fetched);
    expect(await read(0)).toEqual(['PARTIAL', 'requester', true]);
  });

  it('and not for what its owner holds, asked by who knows the beginning alone', async () => {
    const read = readsOf('k', 3 * mebibyte + 1);
    expect(await read(1, 'bytes=0-9')).toEqual(fetched);
    expect(await read(2, 'bytes=0-9')).toEqual(held);
    expect(await read(2)).toEqual(['PARTIAL', 'requester', true]);
    expect(await read(1)).toEqual(held);
    expect(await read(2)).toEqual(held);
  });
});

it('ranges across blocks, at every worker, come out right', async () => {
  const content = patternContent(5 * mebibyte + 99);
  store.put('b', 'ranges.bin', content);
  for (const worker of everyWorker) {
    for (const [first, last] of [
      [0, 10],
      [mebibyte - 5, mebibyte + 5],
      [3_000_000, 5_000_000],
      [5 * mebibyte, 5 * mebibyte + 98],
    ] as const) {
      for (let time = 0; time < 2; time++) {
        const answer = await gateway.get('/b/ranges.bin', { range: `bytes=${first}-${last}` }, worker);
        expect(answer.body.length).toBe(last - first + 1);
        expect(holdsAt(content, first, answer.body)).toBe(true);
      }
    }
  }
});

it('law 5: a purge at every worker is final at every worker', async () => {
  store.put('b', 'purged.bin', patternContent(mebibyte, 1));
  for (const worker of everyWorker)
    for (let time = 0; time < 2; time++) await gateway.get('/b/purged.bin', {}, worker);
  store.put('b', 'purged.bin', patternContent(mebibyte, 2));
  for (const one of gateway.gateways) one.purge({ kind: 'key', bucket: 'b', key: 'purged.bin' });
  for (const worker of everyWorker) {
    expect(
      holdsAt(patternContent(mebibyte, 2), 0, (await gateway.get('/b/purged.bin', {}, worker)).body),
    ).toBe(true);
  }
});

it('an object that changed before its first byte is read anew from any worker', async () => {
  for (const worker of everyWorker) {
    const key = `changed-${worker}.bin`;
    store.put('b', key, patternContent(3 * mebibyte, 1));
    await gateway.get(`/b/${key}`, { range: 'bytes=0-9' }, worker);
    store.put('b', key, patternContent(2 * mebibyte, 2));
    const answer = await gateway.get(`/b/${key}`, { range: 'bytes=1500000-1500009' }, worker);
    expect(holdsAt(patternContent(2 * mebibyte, 2), 1_500_000, answer.body)).toBe(true);
  }
});

it('refusals and failures of the store reach the client of any worker as they are', async () => {
  for (const worker of everyWorker) {
    const missing = await gateway.get(`/b/none-${worker}`, {}, worker);
    expect(missing.status).toBe(404);
    expect(missing.body.toString()).toContain('NoSuchKey');
    store.faults.next({ kind: 'answer', status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    const refused = await gateway.get(`/b/refused-${worker}`, {}, worker);
    expect(refused.status).toBe(403);
    expect(refused.body.toString()).toContain('AccessDenied');
  }
});

it('a worker whose peers have gone serves their objects itself', async () => {
  for (let index = 0; index < 10; index++) store.put('b', `k${index}`, `body ${index}`);
  for (let index = 0; index < 10; index++) await gateway.get(`/b/k${index}`, {}, 0);
  await gateway.cutChannels();
  for (let index = 0; index < 10; index++) {
    expect((await gateway.get(`/b/k${index}`, {}, 0)).body.toString()).toBe(`body ${index}`);
  }
});

/** Names of objects that the first of two workers owns. */
function ownedByFirst(count: number, name: string): string[] {
  const keys = Array.from({ length: 20 + 4 * count }, (_, index) => `${name}-${index}`);
  return keys.filter(key => ownerOf(testKey('main', 'b', key).hash, 2) === 0).slice(0, count);
}

it.each([
  { kind: 'bucket', bucket: 'b' } as const,
  { kind: 'prefix', bucket: 'b', prefix: 'remember' } as const,
])(
  'law 5: purging by $kind reaches what other workers remember, though its owner tells it still',
  async request => {
    const two = await TestGateway.start({ storeUrl: store.url, workers: 2, arenaBytes: 32 * mebibyte });
    const [key = ''] = ownedByFirst(1, 'remembered');
    const texts = new SlotTexts(two.memory, 0, new SlotPins(two.memory, 1));
    const isTold = () => texts.getTold(testKey('main', 'b', key).text) !== undefined;
    store.put('b', key, '');
    const read = () => two.get(`/b/${key}`, {}, 1);
    // its owner tells it once it was asked again
    for (const said of ['MISS', 'HIT', 'HIT']) expect((await read()).headers['x-cache']).toBe(said);
    expect(isTold()).toBe(true);
    store.put('b', key, 'no longer empty');
    // its owner has not taken part yet
    two.gateways[1]?.purge(request);
    expect(isTold()).toBe(true);
    expect((await read()).body.toString()).toBe('no longer empty');
    await two.close();
  },
);

it.each(['the same', 'changed'])(
  'a reader goes on at another worker with a content that its owner has forgotten after a purge: %s at the store',
  async what => {
    const two = await TestGateway.start({ storeUrl: store.url, workers: 2 });
    const [key = ''] = ownedByFirst(1, 'slow');
    // more than the system takes for a client that does not read
    const content = patternContent(24 * mebibyte, 1);
    store.put('b', key, content);
    for (let time = 0; time < 3; time++) await two.get(`/b/${key}`, {}, 1);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${two.url(1)}/b/${key}`, { agent: false }, resolve).on('error', reject);
    });
    expect(answer.headers['x-cache']).toBe('HIT');
    for (const one of two.gateways) one.purge({ kind: 'key', bucket: 'b', key });
    if (what === 'changed') store.put('b', key, patternContent(24 * mebibyte, 2));
    for (let turn = 0; turn < 5; turn++) {
      await immediate();
      collectGarbage();
    }
    const before = store.log.requests.length;
    if (what === 'changed') await expect(buffer(answer)).rejects.toThrow('aborted');
    else expect((await buffer(answer)).equals(copyOf(content))).toBe(true);
    expect(store.log.requests.length).toBeGreaterThan(before);
    // what was fetched for it is nobody else's
    expect((await two.get(`/b/${key}`, { range: `bytes=${20 * mebibyte}-` }, 1)).headers['x-cache']).toBe(
      'MISS',
    );
    await two.close();
  },
);
