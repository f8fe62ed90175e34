import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import type { Caller } from '../../../src/gateway/request/access.ts';
import { type HttpListener, listenHttp } from '../../../src/server/http-listener.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { KeptConnection } from '../../support/kept-connection.ts';
import { posted, signedFields } from '../../support/posted-form.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;
let listener: HttpListener;

/** A gateway behind the listener that workers have. */
async function start(options: Partial<TestGatewayOptions>): Promise<void> {
  gateway = await TestGateway.start({ storeUrl: store.url, ...options });
  const handle = gateway.gateways[0]?.handle;
  if (!handle) throw new Error('the gateway has no worker');
  const logger = createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } });
  const address = { addresses: [{ kind: 'tcp' as const, host: '127.0.0.1', port: 0 }], reusePort: false };
  listener = await listenHttp({ ...address, handle, logger, limits: defaultLimits });
}

beforeEach(async () => {
  store = await StandInStore.start();
  store.put('b', 'hit', 'twelve bytes');
});

afterEach(async () => {
  await listener.drain(0);
  await gateway.close();
  await store.close();
});

const waiting = () => gateway.gateways[0]?.waiting;

/** The same as those who operate the gateway see it. */
async function shownWaiting(): Promise<number | undefined> {
  const families = await gateway.metrics[0]?.snapshot();
  return families?.find(({ name }) => name === 'tidegate_requests_waiting')?.values[0]?.value;
}

/** Calls that a store has not answered yet. */
async function unanswered(): Promise<number | undefined> {
  const families = await gateway.metrics[0]?.snapshot();
  const calls = families?.find(({ name }) => name === 'tidegate_backend_calls')?.values;
  return calls?.find(({ labels }) => labels.state === 'unanswered')?.value;
}

interface Asked {
  readonly sent: ClientRequest;
  readonly status: Promise<number>;
  readonly headers: Promise<IncomingMessage['headers']>;
}

/** One request over a connection of its own. */
function ask(path: string, method = 'GET', range?: string): Asked {
  const fields = range === undefined ? {} : { range };
  const sent = request({
    host: '127.0.0.1',
    port: listener.port,
    path,
    method,
    headers: fields,
    agent: false,
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', response => {
      response.resume();
      response.once('end', () => resolve(response));
    });
    sent.on('error', reject);
  });
  sent.end();
  answer.catch(() => undefined);
  const status = answer.then(({ statusCode = 0 }) => statusCode);
  const headers = answer.then(response => response.headers);
  status.catch(() => undefined);
  headers.catch(() => undefined);
  return { sent, status, headers };
}

/** Kept when nothing waits any more, looked at between turns of the event loop. */
async function nothingWaits(): Promise<void> {
  await turnsUntil('nothing waits', () => waiting()?.requests === 0);
}

const signedBy = (accessKeyId: string) => (): Caller => ({
  kind: 'client',
  accessKeyId,
  payload: { kind: 'unsigned' },
});

describe.each<[string, Partial<TestGatewayOptions>]>([
  ['of one client', { limits: { requestsPerAddress: 3 } }],
  ['of one access key', { limits: { requestsPerAccessKey: 3 }, authenticate: signedBy('AKIDCLIENT') }],
  ['in all', { limits: { requests: 3 } }],
])('with three requests that may wait %s', (_, options) => {
  beforeEach(() => start(options));

  it.each([
    ['reads', (number: number) => ask(`/b/missing-${number}`)],
    ['the same read', () => ask('/b/missing')],
    ['heads', (number: number) => ask(`/b/missing-${number}`, 'HEAD')],
    [
      'reads of missing bytes of a known object',
      (number: number) =>
        ask('/b/large', 'GET', `bytes=${(number + 1) * mebibyte}-${(number + 1) * mebibyte}`),
    ],
    ['listings', (number: number) => ask(`/b?list-type=2&prefix=${number}`)],
    ['passed operations', (number: number) => ask(`/b/missing-${number}?tagging`)],
  ])(
    'answers 503 to the fourth of %s and nothing else, and asks the store nothing for it',
    async (_name, send) => {
      await ask('/b/hit').status;
      store.put('b', 'large', Buffer.alloc(8 * mebibyte));
      await ask('/b/large', 'GET', 'bytes=0-0').status;
      const asked = store.log.requests.length;
      const gate = store.hold();
      const first = [0, 1, 2].map(send);
      await turnsUntil('three requests wait', () => waiting()?.requests === 3);
      expect(await shownWaiting()).toBe(3);
      const fourth = send(3);
      expect(await fourth.status).toBe(503);
      expect(await fourth.headers).toMatchObject({ 'retry-after': '1' });
      // a hit waits for nobody
      expect(await ask('/b/hit').status).toBe(200);
      gate.release();
      for (const { status } of first) expect(await status).not.toBe(503);
      await nothingWaits();
      expect(await shownWaiting()).toBe(0);
      expect(store.log.requests.length - asked).toBeLessThanOrEqual(3);
      expect(await send(4).status).not.toBe(503);
    },
  );
});

it('one connection asks for one thing at a time, however many requests it sends', async () => {
  await start({ limits: { requestsPerAddress: 3 } });
  await ask('/b/hit').status;
  store.log.clear();
  const gate = store.hold();
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(Array.from({ length: 5_000 }, (_, n) => `GET /b/m${n} HTTP/1.1\r\nhost: h\r\n\r\n`).join(''));
  await store.log.arrival(1);
  for (let count = 0; count < 20; count++) expect(await ask('/b/hit').status).toBe(200);
  expect(waiting()).toEqual({ requests: 1, clients: 1 });
  expect(store.log.requests).toHaveLength(1);
  socket.resetAndDestroy();
  gate.release();
  await nothingWaits();
});

it('who leaves is counted no more, though the store has not answered', async () => {
  await start({ limits: { requestsPerAddress: 2 } });
  const gate = store.hold();
  for (const path of ['/b/one', '/b/two?tagging', '/b?list-type=2', '/b/one']) {
    const { sent } = ask(path);
    await turnsUntil('one request waits', () => waiting()?.requests === 1);
    const [socket] = sent.socket ? [sent.socket] : await once(sent, 'socket');
    socket.resetAndDestroy();
    await nothingWaits();
  }
  gate.release();
});

it('questions of those who have left do not keep the store from the others: a few go on, the rest are given up', async () => {
  await start({ limits: { requestsPerAddress: 1 } });
  const gate = store.hold();
  for (let number = 0; number < 40; number++) {
    const { sent } = ask(`/b/missing-${number}`);
    await turnsUntil('one request waits', () => waiting()?.requests === 1);
    const [socket] = sent.socket ? [sent.socket] : await once(sent, 'socket');
    socket.resetAndDestroy();
    await nothingWaits();
  }
  expect(store.log.requests).toHaveLength(40);
  expect(await unanswered()).toBe(16);
  gate.release();
});

it('counts come back to nothing, whatever is asked, answered, refused, cut off and left', async () => {
  await start({ limits: { requests: 6, requestsPerAddress: 5 } });
  store.put('b', 'large', 'x'.repeat(200_000));
  const path = fc.constantFrom(
    ...['/b/hit', '/b/large', '/b/missing', '/b/missing-2', '/b/large?tagging', '/b?list-type=2', '/none/x'],
  );
  const request = fc.record({ path, method: fc.constantFrom('GET', 'HEAD'), isLeaving: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 12 }), async requests => {
      const gate = store.hold();
      const asked = requests.map(each => ({ ...each, ...ask(each.path, each.method) }));
      await new Promise(resolve => setImmediate(resolve));
      for (const { isLeaving, sent } of asked) if (isLeaving) sent.destroy();
      gate.release();
      await Promise.allSettled(asked.map(({ status }) => status));
      await nothingWaits();
      expect(waiting()).toEqual({ requests: 0, clients: 0 });
      gateway.gateways[0]?.purge({ kind: 'bucket', bucket: 'b' });
    }),
    { numRuns: 30 },
  );
});

it('a form counts for the access key that has signed it, although it has waited for its fields before', async () => {
  await start({ limits: { requestsPerAccessKey: 1 }, authenticateForm: signedBy('AKIDCLIENT') });
  const conditions = [{ bucket: 'b' }, { key: 'k' }];
  const signing = { accessKeyId: 'AKIDCLIENT', secretAccessKey: 'secret', nowMs: Date.now(), conditions };
  const fields = { key: 'k', ...signedFields(signing) };
  const { headers, body } = posted({ fields, file: 'content' });
  const post = () => fetch(`${gateway.url()}/b`, { method: 'POST', headers, body });
  const gate = store.hold();
  const first = post();
  await turnsUntil('the first form is sent to the store', () => store.log.requests.length === 1);
  const second = await post();
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  gate.release();
  await (await first).text();
  await nothingWaits();
  expect((await post()).status).not.toBe(503);
});

it('requests of an access key are answered on as many connections as it may have, hits too', async () => {
  await start({ limits: { connectionsPerAccessKey: 2 }, authenticate: signedBy('AKIDCLIENT') });
  const connections = Array.from(
    { length: 3 },
    () => new KeptConnection(`http://127.0.0.1:${listener.port}`),
  );
  const [first, second, third] = connections;
  const statusOn = async (connection?: KeptConnection) =>
    (await connection?.ask([{ path: '/b/hit', headers: { host: 'gateway' } }]))?.[0]?.status;
  for (const connection of [first, second, first]) expect(await statusOn(connection)).toBe(200);
  expect(await statusOn(third)).toBe(503);
  first?.close();
  await turnsUntil('the gateway sees that one is closed', async () => (await statusOn(third)) === 200);
  for (const connection of [second, third]) connection?.close();
});
