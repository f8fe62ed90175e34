import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store, StoreReceiver, StoreRequest } from '../../../../src/backend/store.ts';
import type { Steps } from '../../../../src/base/sliced-work.ts';
import { DocumentJob } from '../../../../src/gateway/pass/document-job.ts';
import { Listings } from '../../../../src/gateway/pass/listing/listings.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const mebibyte = 1024 * 1024;
const settled = () => new Promise(resolve => setImmediate(resolve));
const page: StoreRequest = { method: 'GET', bucket: 'b', key: undefined, query: '', fields: [] };
let clock: ManualClock;
let listings: Listings;
let server: Server;
let clients: Socket[];
/** The store's calls: what receives their answers, and whether they were aborted. */
let calls: { receiver: StoreReceiver; isAborted: boolean }[];

let store: Store;

/** A store whose calls are noted in `noted`. */
function storeOf(noted: typeof calls): Store {
  const send = (_request: StoreRequest, receiver: StoreReceiver) => {
    const call = { receiver, isAborted: false };
    noted.push(call);
    const ignored = () => undefined;
    const abort = () => {
      call.isAborted = true;
    };
    return { pause: ignored, resume: ignored, took: ignored, abort };
  };
  return { name: 'main', identity: 'main', send, mayRetry: () => true, close: async () => undefined };
}

beforeEach(async () => {
  clock = new ManualClock();
  listings = new Listings(clock);
  clients = [];
  calls = [];
  store = storeOf(calls);
  server = createServer().listen(0);
  await once(server, 'listening');
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await new Promise(resolve => server.close(resolve));
});

/** A listing of a new client at 127.0.0.`host`, and what became of its first page. */
async function begin(host = 1) {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${host}` });
  clients.push(client);
  const requested = once(server, 'request');
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response]: ServerResponse[] = await requested;
  if (!response) throw new Error('no response');
  const errors = { refuse: () => undefined, fault: () => undefined };
  const exchange = new Exchange(response, 'GET', '/', 0, '', '', { now: '' }, errors);
  const sends = new PendingSends(clock, { holds: () => 0, claimNeed: () => false });
  const observer = { waitsForStore: () => undefined, sends };
  // what a job uses of an operation
  const job = new DocumentJob({ exchange, observer, listings } as unknown as ConstructorParameters<
    typeof DocumentJob
  >[0]);
  return { client, response, job };
}

async function beginMany(count: number): Promise<Awaited<ReturnType<typeof begin>>[]> {
  const begun: Awaited<ReturnType<typeof begin>>[] = [];
  while (begun.length < count) begun.push(await begin());
  return begun;
}

/** Asks for a page and tells how that ended. */
function ask(job: DocumentJob): Promise<string> {
  return job.ask(store, page, 8 * mebibyte).then(
    ({ body }) => `${body.length} bytes`,
    error => String(error?.code ?? error?.name),
  );
}

function answer(at: number, lengthBytes: number): void {
  calls[at]?.receiver.answered({ status: 200, fields: [] });
  calls[at]?.receiver.arrived(Buffer.alloc(lengthBytes));
  calls[at]?.receiver.ended();
}

function* reading(result: string): Steps<string> {
  yield;
  return result;
}

it('asks the store for eight pages at a time; who has one listing goes before another’s many', async () => {
  const many = await beginMany(12);
  for (const { job } of many) void ask(job);
  const { job } = await begin(2);
  const asked = ask(job);
  await settled();
  expect(calls).toHaveLength(8);
  answer(0, 10);
  await settled();
  expect(await many[0]?.job.read(reading('a'), () => 0)).toBe('a');
  clock.advance(1);
  await settled();
  expect(calls).toHaveLength(9);
  answer(8, 77);
  expect(await asked).toBe('77 bytes');
});

it('a refusal gives the turn back at once, although nobody reads it', async () => {
  const refused = await beginMany(9);
  for (const { job } of refused) void ask(job);
  await settled();
  expect(calls).toHaveLength(8);
  calls[0]?.receiver.answered({ status: 403, fields: [] });
  calls[0]?.receiver.ended();
  await settled();
  expect(calls).toHaveLength(9);
});

it('a refusal that is kept while the store is asked again counts beside the next answer', async () => {
  const { job } = await begin();
  const refusal = { status: 400, fields: [], body: Buffer.alloc(3_000) };
  const asked = job.keepWhile(refusal, () => ask(job));
  await settled();
  expect(listings.room.usedBytes).toBe(3_000);
  answer(0, mebibyte);
  expect(await asked).toBe(`${mebibyte} bytes`);
  expect(listings.room.usedBytes).toBe(mebibyte + 3_000);
  expect(await job.read(reading('a'), () => 7)).toBe('a');
  expect(listings.room.usedBytes).toBe(7);
});

it('pages that a store is slow to answer hold up others for a fifth of a second', async () => {
  const slow = await beginMany(8);
  for (const { job } of slow) void ask(job);
  const { job } = await begin(2);
  const asked = ask(job);
  await settled();
  clock.advance(199);
  await settled();
  expect(calls).toHaveLength(8);
  clock.advance(1);
  await settled();
  answer(8, 5);
  expect(await asked).toBe('5 bytes');
});

it('what arrives of all pages is bounded: the client that holds most gives way, others do not', async () => {
  const greedy = await beginMany(9);
  const ends = greedy.map(({ job }) => ask(job));
  await settled();
  clock.advance(200);
  const { job } = await begin(2);
  const asked = ask(job);
  await settled();
  for (const { receiver } of calls) {
    receiver.answered({ status: 200, fields: [] });
    receiver.arrived(Buffer.alloc(7.5 * mebibyte));
  }
  await settled();
  expect(listings.room.usedBytes).toBeLessThanOrEqual(64 * mebibyte);
  expect(calls.map(({ isAborted }) => isAborted).filter(Boolean)).toHaveLength(2);
  expect(calls.at(-1)?.isAborted).toBe(false);
  calls.at(-1)?.receiver.ended();
  expect(await asked).toBe(`${7.5 * mebibyte} bytes`);
  expect(await Promise.race(ends)).toMatch(/OVERLOADED|STALLED_CLIENT/);
});

it('nothing is left of listings whose clients leave, wherever they are', async () => {
  const begun = await beginMany(12);
  const ends = begun.map(({ job }) => ask(job));
  await settled();
  answer(0, mebibyte);
  await settled();
  const read = begun[0]?.job.read(reading('a'), () => mebibyte);
  const closed = begun.map(({ response }) => once(response, 'close'));
  for (const { client } of begun) client.destroy();
  await Promise.all(closed);
  await Promise.allSettled([...ends, read]);
  expect(listings.asks.counts).toEqual({ given: 0, waiting: 0 });
  expect(listings.pages.counts).toEqual({ given: 0, waiting: 0 });
  expect(listings.room.usedBytes).toBe(0);
  expect(calls.slice(1).every(({ isAborted }) => isAborted)).toBe(true);
  expect(begun.every(({ job }) => job.hasClientLeft)).toBe(true);
});

it('a turn that is given to a client as it leaves goes to the next', async () => {
  const begun = await beginMany(10);
  for (const { job } of begun) void ask(job);
  await settled();
  // in one turn of the event loop: the first one gives its turn to the ninth, which has just left
  for (const at of [0, 8]) begun[at]?.response.emit('close');
  await settled();
  expect(listings.asks.counts).toEqual({ given: 8, waiting: 0 });
});
