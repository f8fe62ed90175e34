import { type ClientRequest, request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { Caller } from '../../../src/gateway/request/access.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const kibibyte = 1024;
const rateBytes = 64 * kibibyte;
/** An eighth of a second. */
const pieceBytes = 8 * kibibyte;
/** A second's worth, and the piece with which the debt begins. */
const atOnceBytes = rateBytes + pieceBytes;

const content = Buffer.from(Uint8Array.from({ length: 392 * kibibyte }, (_, at) => (at >> 3) ^ (at >> 11)));

let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;

async function start(options: Partial<TestGatewayOptions>): Promise<void> {
  clock = new ManualClock();
  store = await StandInStore.start();
  store.put('b', 'k', content);
  store.put('b', 'small', content.subarray(0, pieceBytes));
  gateway = await TestGateway.start({ storeUrl: store.url, clock, ...options });
}

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** An answer as it comes. */
interface Arriving {
  readonly sent: ClientRequest;
  body: Buffer;
  isComplete: boolean;
}

function ask(path: string, worker = 0): Arriving {
  const { port, hostname } = new URL(gateway.url(worker));
  const sent = request({ host: hostname, port, path, agent: false });
  const arriving: Arriving = { sent, body: Buffer.alloc(0), isComplete: false };
  sent
    .on('error', () => undefined)
    .on('response', answer => {
      answer.on('data', chunk => {
        arriving.body = Buffer.concat([arriving.body, chunk]);
      });
      answer.on('error', () => undefined);
      answer.on('end', () => {
        arriving.isComplete = true;
      });
    });
  sent.end();
  return arriving;
}

/** Waits until `arriving` has `sizeBytes`, and no more come without time. */
async function has(arriving: Arriving, sizeBytes: number): Promise<void> {
  await turnsUntil(`${sizeBytes} bytes have come`, () => arriving.body.length >= sizeBytes);
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(arriving.body.length).toBe(sizeBytes);
}

/** Kept when the gateway has noticed of all requests that they have ended. */
async function allEnded(): Promise<void> {
  await turnsUntil('all have been noticed', async () => {
    const families = await gateway.metrics[0]?.snapshot();
    return families?.find(({ name }) => name === 'tidegate_requests_in_flight')?.values[0]?.value === 0;
  });
}

const pinned = () =>
  gateway.memory.pins.flatMap(held => [...new Int32Array(held)]).filter(count => count > 0).length;

const signed = (): Caller => ({ kind: 'client', accessKeyId: 'AKID', payload: { kind: 'unsigned' } });

it.each<[string, Partial<TestGatewayOptions>]>([
  ['of an address', { limits: { ratePerAddressBytes: rateBytes } }],
  ['of an access key', { limits: { ratePerAccessKeyBytes: rateBytes }, authenticate: signed }],
  [
    'that is the lower one of two',
    { limits: { ratePerAddressBytes: 1e9, ratePerAccessKeyBytes: rateBytes }, authenticate: signed },
  ],
])(
  'an object in memory is sent at the rate %s, and pins no memory while its client waits',
  async (_, options) => {
    await start(options);
    await gateway.get('/b/small');
    clock.advance(2_000);
    const first = ask('/b/k');
    await has(first, atOnceBytes);
    first.sent.destroy();
    await allEnded();
    clock.advance(10_000);
    const arriving = ask('/b/k');
    for (let seconds = 0; seconds < 5; seconds++) {
      await has(arriving, atOnceBytes + seconds * rateBytes);
      expect(pinned()).toBe(0);
      clock.advance(1_000);
    }
    await turnsUntil('all has come', () => arriving.isComplete);
    expect(arriving.body.equals(content)).toBe(true);
  },
);

it('while a client waits nothing is pinned in any worker, also where one reads what another owns', async () => {
  await start({ limits: { ratePerAddressBytes: rateBytes }, workers: 2 });
  const large = Buffer.concat(Array.from({ length: 6 }, () => content));
  store.put('b', 'large', large);
  for (const worker of [0, 1, 0, 1]) {
    const arriving = ask('/b/large', worker);
    while (!arriving.isComplete) {
      const before = arriving.body.length;
      clock.advance(500);
      for (let turn = 0; turn < 30; turn++) await new Promise(resolve => setImmediate(resolve));
      const isWaiting = arriving.body.length === before && before > 0 && !arriving.isComplete;
      if (isWaiting) expect(pinned()).toBe(0);
    }
    expect(arriving.body.equals(large)).toBe(true);
  }
});

it('many short answers have together what one long answer may have', async () => {
  await start({ limits: { ratePerAddressBytes: rateBytes } });
  await gateway.get('/b/small');
  clock.advance(10_000);
  const all = Array.from({ length: 24 }, () => ask('/b/small'));
  const complete = () => all.filter(({ isComplete }) => isComplete).length;
  await turnsUntil('those of the first second are there', () => complete() === 9);
  for (const expected of [17, 24]) {
    clock.advance(1_000);
    await turnsUntil(`${expected} are there`, () => complete() === expected);
  }
});

it('an answer that is passed on is held back too, and so is the store', async () => {
  await start({ limits: { ratePerAddressBytes: rateBytes }, policy: { maxObjectSizeBytes: 100 } });
  const large = Buffer.concat(Array.from({ length: 6 }, () => content));
  store.put('b', 'large', large);
  const arriving = ask('/b/large');
  await turnsUntil('the first bytes have come', () => arriving.body.length > 0);
  for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(arriving.body.length).toBeLessThan(large.length / 2);
  let passedMs = 0;
  await turnsUntil('all has come', () => {
    clock.advance(100);
    passedMs += 100;
    return arriving.isComplete;
  });
  expect(arriving.body.equals(large)).toBe(true);
  // the last chunk, and what may come at once, are not waited for
  expect(passedMs).toBeGreaterThanOrEqual(((large.length - 1024 * kibibyte) * 1_000) / rateBytes);
});

it('a client that leaves while it waits gives back what it has reserved', async () => {
  await start({ limits: { ratePerAddressBytes: rateBytes } });
  await gateway.get('/b/small');
  clock.advance(10_000);
  const gone = Array.from({ length: 8 }, () => ask('/b/k'));
  const bytes = () => gone.reduce((sum, { body }) => sum + body.length, 0);
  await turnsUntil('the first second is used up', () => bytes() === atOnceBytes);
  for (const { sent } of gone) sent.destroy();
  await allEnded();
  clock.advance(1_000);
  const next = ask('/b/k');
  await turnsUntil('the next client has its share', () => next.body.length >= rateBytes - pieceBytes);
});

it('an unlimited client gets all at once', async () => {
  await start({ limits: { ratePerAccessKeyBytes: rateBytes } });
  const arriving = ask('/b/k');
  await turnsUntil('all has come', () => arriving.isComplete);
  expect(arriving.body.equals(content)).toBe(true);
});
