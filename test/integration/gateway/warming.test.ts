import { afterEach, beforeEach, expect, it } from 'vitest';

import { patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';
import { linesOf, warmThrough } from '../../support/warm-run.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, workers: 2 });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

const yaml =
  'backends: { main: { type: s3, endpoint: "http://127.0.0.1:1", credentials: none } }\nbuckets: { b: { backend: main, access: public } }';

/** The lines of a run over the workers of the gateway. */
function warm(what: { keys: string[] } | { prefix: string }, concurrency = 2, from?: string) {
  return linesOf(warmThrough(gateway.gateways, yaml), { bucket: 'b', what, concurrency, from });
}

const page = (keys: readonly string[], isTruncated: boolean) =>
  `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? '<NextContinuationToken>t</NextContinuationToken>' : ''}${keys.map(key => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`;

const listed = (keys: readonly string[], isTruncated: boolean) =>
  ({ kind: 'answer', status: 200, body: page(keys, isTruncated) }) as const;

it('what was fetched by a list of keys is hit from every worker, large objects whole', async () => {
  store.put('b', 'large', patternContent(5 * mebibyte + 7));
  store.put('b', 'small', 'text');
  const lines = await warm({ keys: ['large', 'small', 'none'] });
  expect(lines).toEqual([
    { key: 'none', status: 404, code: 'NoSuchKey' },
    {
      ...{ keys: 3, warmed: 2, held: 0, uncached: 0, failed: 1 },
      ...{ bytes: 5 * mebibyte + 11, last: 'none', complete: true },
    },
  ]);
  store.log.clear();
  for (const worker of [0, 1]) {
    const answer = await gateway.get('/b/large', {}, worker);
    expect([answer.headers['x-cache'], answer.body.length]).toEqual(['HIT', 5 * mebibyte + 7]);
  }
  expect((await warm({ keys: ['large', 'small'] })).at(-1)).toMatchObject({ warmed: 0, held: 2 });
  expect(store.log.requests).toEqual([]);
});

it('what the store refuses when it is read is told by its status and code, from every worker', async () => {
  const keys = Array.from({ length: 8 }, (_, index) => `sealed-${index}`);
  store.faults.next({ kind: 'answer', status: 400, body: '<Error><Code>InvalidRequest</Code></Error>' }, 50);
  expect((await warm({ keys })).slice(0, -1)).toEqual(
    keys.map(key => ({ key, status: 400, code: 'InvalidRequest' })),
  );
});

it('what is no word is not told as the code of an error', async () => {
  for (const code of ['a b', 'x'.repeat(65), '\u001b[2J']) {
    store.faults.next({ kind: 'answer', status: 403, body: `<Error><Code>${code}</Code></Error>` }, 1);
    expect((await warm({ keys: ['k'] })).slice(0, -1)).toEqual([{ key: 'k', status: 403 }]);
  }
});

it('what is not kept costs no second request, and is told', async () => {
  store.put('b', 'k', 'private', { headers: { 'cache-control': 'no-store' } });
  expect((await warm({ keys: ['k'] })).at(-1)).toMatchObject({ uncached: 1, complete: true });
  expect(store.log.requests).toHaveLength(1);
});

it.each([
  [{ keys: ['k', 'é'.repeat(513)] }, undefined, 'keys.1: the keys of the bucket have at most 1024 bytes'],
  [{ prefix: 'p'.repeat(1_025) }, undefined, 'prefix: the keys of the bucket have at most 1024 bytes'],
  [{ prefix: '' }, 'k'.repeat(1_025), 'from: the keys of the bucket have at most 1024 bytes'],
])('what is too long to be a key is refused before anything is asked', async (what, from, message) => {
  await expect(warm(what, 1, from)).rejects.toMatchObject({ status: 400, code: 'KEY_TOO_LONG', message });
  expect(store.log.requests).toEqual([]);
});

it('what is being read is given up when who asked has left', async () => {
  store.put('b', 'large', patternContent(3 * mebibyte));
  store.faults.next({ kind: 'stall', afterBytes: 10 });
  const leaving = new AbortController();
  const lines = linesOf(
    warmThrough(gateway.gateways, yaml),
    { bucket: 'b', what: { keys: ['large', 'other'] }, concurrency: 1 },
    leaving.signal,
  );
  await turnsUntil('it is asked for', () => store.log.requests.length > 0);
  leaving.abort();
  expect(await lines).toEqual([{ key: 'large', error: 'DESERTED' }]);
});

it('a prefix is listed page by page, behind the key that it is told to go on from', async () => {
  for (const key of ['p/1', 'p/2', 'p/3']) store.put('b', key, key);
  store.faults.next(listed(['p/1', 'p/2'], true));
  store.faults.next({ kind: 'range-ignored' }, 2);
  store.faults.next(listed(['p/3'], false));
  const lines = await warm({ prefix: 'p/' }, 1, 'p/0');
  expect(lines.at(-1)).toMatchObject({ keys: 3, warmed: 3, last: 'p/3', complete: true });
  const lists = store.log.requests.filter(({ url }) => url.includes('list-type'));
  const query = 'list-type=2&encoding-type=url&max-keys=500&prefix=p%2F&start-after=p%2F';
  expect(lists.map(({ url }) => url)).toEqual([`/b?${query}0`, `/b?${query}2`]);
});

it('a listing that fails ends the run, which tells how far it came', async () => {
  store.put('b', 'p/1', 'one');
  store.faults.next(listed(['p/1'], true));
  const lines = await warm({ prefix: 'p/' }, 1);
  expect(lines).toMatchObject([{ keys: 1, last: 'p/1', error: expect.stringContaining('answered 404') }]);
  expect(lines[0]).not.toHaveProperty('complete');
});

it.each([
  [{ keys: ['a', 'z'] }, 'from is none of the keys'],
  [{ prefix: 'p/' }, 'from does not begin with the prefix'],
])('of %j nothing is fetched from behind a key that is none of them', async (what, reason) => {
  await expect(warm(what, 2, 'y')).rejects.toMatchObject({
    status: 400,
    code: 'UNKNOWN_START',
    message: reason,
  });
  expect(store.log.requests).toEqual([]);
});
