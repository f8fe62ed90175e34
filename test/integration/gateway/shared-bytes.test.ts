import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const MIB = 2 ** 20;
const content = patternContent(4 * MIB, 7);
let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url, clock });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

it.each(['origin', 'x-amz-expected-bucket-owner'])(
  'what the first reader says of itself (%s) is in no request for the bytes that all readers share',
  async name => {
    store.put('b', 'k', content);
    const said = name === 'origin' ? 'https://page.test' : '123456789012';
    const first = await gateway.get('/b/k', { range: 'bytes=0-9', [name]: said });
    expect(first.status).toBe(206);
    expect(store.log.requests[0]?.headers[name]).toBe(said);
    expect((await gateway.get('/b/k', { range: 'bytes=0-9' })).status).toBe(206);
    const rest = await gateway.get('/b/k', { range: `bytes=${3 * MIB}-${4 * MIB - 1}` });
    expect(rest.status).toBe(206);
    const fills = store.log.requests.filter(({ headers }) => headers['if-match'] !== undefined);
    expect(fills.length).toBeGreaterThan(0);
    expect(fills.map(({ headers }) => headers[name])).toEqual(fills.map(() => undefined));
  },
);

it('a transfer whose question was answered without a body ends, where its bytes come slowly', async () => {
  store.put('b', 'k', content);
  store.faults.next({ kind: 'stall', afterBytes: 1_000 });
  const answer = await gateway.get('/b/k', { 'if-none-match': content.entityTag });
  expect(answer.status).toBe(304);
  expect(store.log.requests[0]?.ending).toBe('open');
  clock.advance(1_000);
  clock.advance(1_000);
  await turnsUntil(
    'the store sees that nobody takes the rest',
    () => store.log.requests[0]?.ending === 'left',
  );
});

it('and goes on for a reader who comes meanwhile', async () => {
  store.put('b', 'k', content);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.faults.next({ kind: 'stall', afterBytes: 1_000, until: promise });
  expect((await gateway.get('/b/k', { 'if-none-match': content.entityTag })).status).toBe(304);
  const read = await fetch(`${gateway.url()}/b/k`, { headers: { range: 'bytes=0-9999' } });
  clock.advance(1_000);
  clock.advance(1_000);
  resolve();
  expect(Buffer.from(await read.arrayBuffer()).equals(copyOf(content, 0, 10_000))).toBe(true);
  expect(store.log.requests.map(({ ending }) => ending)).toEqual(['complete']);
});
