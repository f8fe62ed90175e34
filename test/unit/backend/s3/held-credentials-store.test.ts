import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendAndCollect } from '../../../../src/backend/collected-reply.ts';
import { HeldCredentials } from '../../../../src/backend/credentials/held-credentials.ts';
import { S3Store } from '../../../../src/backend/s3/s3-store.ts';
import { StoreMeter } from '../../../../src/backend/store-meter.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let server: Server;
let store: S3Store;
let held: HeldCredentials;
let metrics: Metrics;
let clock: ManualClock;
const received: IncomingHttpHeaders[] = [];
const refused: string[] = [];
let answer: { readonly status: number; readonly body: string };

const request = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };
const get = () => sendAndCollect(store, request, { limitBytes: 1_000 });
const keys = (accessKeyId: string, expiresAtMs?: number) => ({
  ...{ accessKeyId, secretAccessKey: 's', sessionToken: `token of ${accessKeyId}`, expiresAtMs },
});

beforeEach(async () => {
  received.length = 0;
  refused.length = 0;
  answer = { status: 200, body: 'content' };
  server = createServer(({ headers }, reply) => {
    received.push(headers);
    reply.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  clock = new ManualClock();
  metrics = new Metrics();
  held = new HeldCredentials(undefined, id => void refused.push(id));
  store = new S3Store({
    name: 'main',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    addressing: 'path',
    headerPrefix: 'x-amz-',
    credentials: { kind: 'held', held },
    queue: { size: 8, waitMs: 1_000 },
    connections: 4,
    timeouts: { connectMs: 1_000, firstByteMs: 10_000, idleMs: 10_000 },
    minRateBytes: 0,
    clock,
    meter: new StoreMeter(metrics),
  });
});

afterEach(async () => {
  await store.close();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

it('each request is signed with the newest credentials', async () => {
  held.replace(keys('FIRST'));
  await get();
  held.replace(keys('SECOND'));
  await get();
  const signatures = received.map(({ authorization = '' }) => /Credential=(\w+)/.exec(authorization)?.[1]);
  expect(signatures).toEqual(['FIRST', 'SECOND']);
  expect(received.map(headers => headers['x-amz-security-token'])).toEqual([
    'token of FIRST',
    'token of SECOND',
  ]);
});

it('without valid credentials nothing is sent, nor counted as an attempt', async () => {
  await expect(get()).rejects.toMatchObject({ code: 'UNSIGNED', reason: 'NO_CREDENTIALS' });
  held.replace(keys('A', clock.nowMs() + 1_000));
  await get();
  clock.advance(1_000);
  await expect(get()).rejects.toMatchObject({ code: 'UNSIGNED', reason: 'CREDENTIALS_EXPIRED' });
  expect(received).toHaveLength(1);
  const requests = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_requests_total');
  expect(requests?.values.map(({ value }) => value)).toEqual([1]);
});

it('an answer that does not accept the credentials is passed on, and reported with their id', async () => {
  held.replace(keys('A'));
  answer = { status: 403, body: '<Error><Code>InvalidAccessKeyId</Code></Error>' };
  const { status, body } = await get();
  expect([status, body.toString()]).toEqual([403, answer.body]);
  expect(refused).toEqual(['A']);
});
