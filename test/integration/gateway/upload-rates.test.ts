import { once } from 'node:events';
import { createServer, get, request, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { Caller } from '../../../src/gateway/request/access.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const kibibyte = 1024;
const rateBytes = 64 * kibibyte;
/** What node:http gives at once: it is counted when it has come. */
const readBytes = 64 * kibibyte;

const contentOf = (sizeBytes: number) =>
  Buffer.from(Uint8Array.from({ length: sizeBytes }, (_, at) => (at >> 3) ^ (at >> 11)));
const content = contentOf(392 * kibibyte);
/** The rest of such a body is read past node:http where no rate is set. */
const large = contentOf(1_024 * kibibyte);

const small = content.subarray(0, 4 * kibibyte);

let store: Server;
let gateway: TestGateway;
let clock: ManualClock;
/** What the store has got of all uploads, by path. */
let received: Map<string, Buffer>;

async function start(options: Partial<TestGatewayOptions>): Promise<void> {
  clock = new ManualClock();
  received = new Map();
  store = createServer((request, response) => {
    const path = request.url ?? '';
    received.set(path, Buffer.alloc(0));
    request.on('data', bytes => received.set(path, Buffer.concat([received.get(path) ?? bytes, bytes])));
    request.on('end', () => {
      const bytes = request.method === 'GET' ? (path.endsWith('/small') ? small : content) : undefined;
      const length = bytes && { 'content-length': bytes.length };
      response.writeHead(200, { etag: '"e"', ...length }).end(bytes);
    });
    request.on('error', () => undefined);
  });
  const storeUrl = await listenLocally(store);
  gateway = await TestGateway.start({ storeUrl, clock, ...options });
}

afterEach(async () => {
  await gateway.close();
  store.closeAllConnections();
  store.close();
});

/** An upload that goes on. */
function upload(key: string, options: RequestInit = {}) {
  const state = { status: 0 };
  fetch(`${gateway.url()}/b/${key}`, { method: 'PUT', body: content, ...options })
    .then(answer => {
      state.status = answer.status;
    })
    .catch(() => undefined);
  return state;
}

const storeHas = () => [...received.values()].reduce((sum, bytes) => sum + bytes.length, 0);

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
}

const signed = (): Caller => ({ kind: 'client', accessKeyId: 'AKID', payload: { kind: 'unsigned' } });

const ofAddress = { limits: { ratePerAddressBytes: rateBytes } };
const ofAccessKey = { limits: { ratePerAccessKeyBytes: rateBytes }, authenticate: signed };

it.each<[string, Partial<TestGatewayOptions>, readonly string[], Buffer]>([
  ['of an address', ofAddress, ['k'], content],
  ['of an access key', ofAccessKey, ['k'], content],
  ['of an address with several uploads', ofAddress, ['k', 'l', 'm'], content],
  ['with the listener of workers', { ...ofAddress, listener: 'worker' }, ['k'], content],
  ['with the listener of workers, a large one', { ...ofAddress, listener: 'worker' }, ['k'], large],
])('uploads come at the rate %s', async (_, options, keys, body) => {
  await start(options);
  const uploads = keys.map(key => upload(key, { body }));
  let passedMs = 0;
  await turnsUntil('all has come', async () => {
    await settle();
    // each may have a read that is counted when it has come
    const mostBytes = rateBytes + (passedMs * rateBytes) / 1_000 + keys.length * readBytes;
    expect(storeHas()).toBeLessThanOrEqual(mostBytes);
    clock.advance(250);
    passedMs += 250;
    return uploads.every(({ status }) => status === 200);
  });
  for (const key of keys) expect(received.get(`/b/${key}`)?.equals(body)).toBe(true);
  const leastMs = ((body.length * keys.length - rateBytes - keys.length * readBytes) * 1_000) / rateBytes;
  expect(passedMs).toBeGreaterThanOrEqual(leastMs);
});

it('what a client uploads takes nothing of what it may download', async () => {
  await start({ limits: { ratePerAddressBytes: rateBytes } });
  const first = upload('k');
  await turnsUntil('the client has to wait', () => storeHas() > 0);
  await settle();
  expect(first.status).toBe(0);
  expect((await gateway.get('/b/small')).body.equals(small)).toBe(true);
});

it('nor does what it downloads take of what it may upload', async () => {
  await start({ limits: { ratePerAddressBytes: rateBytes } });
  // the bytes of a second may be used at once
  clock.advance(1_000);
  let gotBytes = 0;
  const download = get(`${gateway.url()}/b/large`, response =>
    response.on('data', (bytes: Buffer) => {
      gotBytes += bytes.length;
    }),
  ).on('error', () => undefined);
  await turnsUntil('the client has to wait', () => gotBytes >= rateBytes);
  const piece = Buffer.alloc(8 * kibibyte);
  const headers = { 'content-length': 3 * piece.length };
  const sending = request(`${gateway.url()}/b/k`, { method: 'PUT', headers });
  const answered = once(sending, 'response');
  for (let pieces = 0; pieces < 3; pieces++) {
    sending.write(piece);
    // all but the last one are passed on when they come
    await turnsUntil('it has come', () => pieces === 2 || storeHas() >= (pieces + 1) * piece.length - 1);
  }
  sending.end();
  const [answer] = await answered;
  expect(answer.statusCode).toBe(200);
  answer.resume();
  download.destroy();
});

it('a client without a limit uploads at once', async () => {
  await start({ limits: { ratePerAccessKeyBytes: rateBytes } });
  const only = upload('k');
  await turnsUntil('all has come', () => only.status === 200);
  expect(received.get('/b/k')?.equals(content)).toBe(true);
});
