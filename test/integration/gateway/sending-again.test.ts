import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { listenLocally } from '../../support/listen-locally.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const large = Buffer.alloc(300_000, 'self-describing ');
const operations = [
  { method: 'PUT', path: '/b/k', body: large },
  { method: 'PUT', path: '/b/k?partNumber=1&uploadId=u', body: 'part' },
  { method: 'PUT', path: '/b/k?tagging', body: '<Tagging/>' },
  { method: 'POST', path: '/b/k?uploads', body: '' },
  { method: 'DELETE', path: '/b/k', body: '' },
] as const;

let gateway: TestGateway;
let server: Server | undefined;

afterEach(async () => {
  await gateway.close();
  server?.closeAllConnections();
  server?.close();
});

async function retries(): Promise<Record<string, number>> {
  const families = await gateway.metrics[0]?.snapshot();
  const family = families?.find(({ name }) => name === 'tidegate_backend_retries_total');
  return Object.fromEntries((family?.values ?? []).map(({ labels, value }) => [labels.reason ?? '', value]));
}

describe('a store that is not there', () => {
  /** What the store got, once it was there. */
  let got: { request: string; body: Buffer }[];

  const store: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ request: `${request.method} ${request.url}`, body: Buffer.concat(chunks) });
    const isMade = request.url?.endsWith('?uploads');
    response.end(
      isMade ? '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>' : '',
    );
  };

  async function startWithoutStore(clock: ManualClock): Promise<number> {
    got = [];
    const free = createServer();
    const url = await listenLocally(free);
    free.close();
    await once(free, 'close');
    gateway = await TestGateway.start({ storeUrl: url, clock, store: { random: () => 0 } });
    return Number(new URL(url).port);
  }

  it.each(operations)('gets $method $path once, and whole, when it is there again', async operation => {
    const clock = new ManualClock();
    const port = await startWithoutStore(clock);
    const answer = rawRequest(gateway.url(), operation);
    await turnsUntil('there was no connection', async () => (await retries()).unreachable === 1);
    server = createServer(store).listen(port, '127.0.0.1');
    await once(server, 'listening');
    clock.advance(50);
    expect((await answer).status).toBe(200);
    expect(got.map(({ request }) => request)).toEqual([`${operation.method} ${operation.path}`]);
    expect(got[0]?.body.equals(Buffer.from(operation.body))).toBe(true);
  });

  it('is tried three times, and the client is told when to come again', async () => {
    const clock = new ManualClock();
    await startWithoutStore(clock);
    const answer = rawRequest(gateway.url(), operations[0]);
    for (const [index, delayMs] of [50, 100].entries()) {
      await turnsUntil('it was tried', async () => (await retries()).unreachable === index + 1);
      clock.advance(delayMs);
    }
    const { status, headers } = await answer;
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(await retries()).toEqual({ unreachable: 2 });
  });
});

describe('a store that may have carried out a write', () => {
  it.each(
    operations.flatMap(operation => [
      { ...operation, fate: 'breaks off', status: 503 },
      { ...operation, fate: 500, status: 500 },
      { ...operation, fate: 503, status: 503 },
    ]),
  )('gets it once: $method $path, $fate', async ({ fate, status, ...operation }) => {
    let requests = 0;
    server = createServer(async (request, response) => {
      requests++;
      for await (const _ of request);
      if (typeof fate === 'string') request.socket.resetAndDestroy();
      else response.writeHead(fate).end();
    });
    gateway = await TestGateway.start({ storeUrl: await listenLocally(server) });
    const answer = await rawRequest(gateway.url(), operation);
    expect([answer.status, requests]).toEqual([status, 1]);
    expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    expect(await retries()).toEqual({});
  });
});

it('a 503 of the store says when to come again in its own words', async () => {
  server = createServer((_, response) => response.writeHead(503, { 'retry-after': '7' }).end());
  gateway = await TestGateway.start({ storeUrl: await listenLocally(server) });
  const { status, headers } = await rawRequest(gateway.url(), operations[4]);
  expect([status, headers['retry-after']]).toEqual([503, '7']);
});
