import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendAndCollect } from '../../../src/backend/collected-reply.ts';
import { S3Store } from '../../../src/backend/s3/s3-store.ts';
import type { StoreRequest } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { listenLocally } from '../../support/listen-locally.ts';

let server: Server;
let store: S3Store;
let connections: number;

beforeEach(async () => {
  connections = 0;
  server = createServer((request, response) => {
    const status = Number(request.url?.split('/').at(-1));
    request.resume().on('end', () => response.writeHead(status, { 'content-length': 2 }).end('ok'));
  });
  server.on('connection', () => connections++);
  store = new S3Store({
    ...{ name: 'main', endpoint: await listenLocally(server), region: 'us-east-1', addressing: 'path' },
    ...{ headerPrefix: 'x-amz-', credentials: { kind: 'none' }, minRateBytes: 0, connections: 1 },
    queue: { size: 512, waitMs: 10_000 },
    timeouts: { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 },
    clock: systemClock,
    meter: new StoreMeter(new Metrics()),
  });
});
afterEach(async () => {
  await store.close();
  await new Promise(resolve => server.close(resolve));
});

const KIB = 1024;

function streamed(lengthBytes: number, isAnnounced = true): Partial<StoreRequest> {
  const stream = Readable.from([Buffer.alloc(lengthBytes)]);
  const announced = isAnnounced ? lengthBytes : undefined;
  const bodyStream = {
    stream,
    lengthBytes: announced,
    payloadHash: 'UNSIGNED-PAYLOAD',
    follow: () => undefined,
  };
  return { method: 'PUT', bodyStream };
}

/** Asks for an answer with `status`. */
async function ask(status: number, request: Partial<StoreRequest> = {}): Promise<void> {
  const call = {
    method: 'GET',
    bucket: 'b',
    key: `${status}`,
    query: '',
    fields: [],
    ...request,
  } as const;
  const reply = await sendAndCollect(store, call, { limitBytes: 100 });
  expect({ status: reply.status, body: reply.body.toString() }).toEqual({ status, body: 'ok' });
}

it.each([
  ['a large one', 507, streamed(64 * KIB + 1), 2],
  ['one of unknown length', 403, streamed(KIB, false), 2],
  ['a large one out of memory', 503, { method: 'POST', body: new Uint8Array(64 * KIB + 1) }, 2],
  ['a large one that belongs elsewhere', 307, streamed(64 * KIB + 1), 2],
  ['a large one that is taken', 200, streamed(64 * KIB + 1), 1],
  ['a small one', 412, streamed(64 * KIB), 1],
  ['none', 404, { method: 'DELETE' }, 1],
] as const)(
  'a refused body may lie unread, and nothing is sent behind it: %s',
  async (_, status, body, used) => {
    await ask(status, body);
    await ask(200);
    expect(connections).toBe(used);
  },
);

it('who waits for the connection gets another', async () => {
  const refused = Array.from({ length: 8 }, () => ask(507, streamed(100 * KIB)));
  await Promise.all([...refused, ask(200), ask(404), ask(200)]);
  expect(connections).toBeLessThanOrEqual(9);
});
