import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { ownerOf } from '../../../src/cache/object-key.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testKey } from '../../support/object-keys.ts';
import { describingBytes } from '../../support/self-describing.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1_048_576;
/** Of each worker. */
const pages = 8;
const stalledReaders = 3;
/** More than the system takes for a connection whose client does not read. */
const stalledBytes = 24 * mebibyte;
/** Far more than the answers that the system takes are looked at. */
const LOOKS = 5_000;

let store: StandInStore;
let gateway: TestGateway;
let clock: ManualClock;
let lines: Record<string, unknown>[];
let sockets: Socket[];

beforeEach(async () => {
  clock = new ManualClock();
  lines = [];
  sockets = [];
  store = await StandInStore.start();
});

async function startGateway(workers: number): Promise<void> {
  const write = (written: string) => void lines.push(JSON.parse(written));
  gateway = await TestGateway.start({
    storeUrl: store.url,
    arenaBytes: workers * pages * mebibyte,
    workers,
    clock,
    accessLog: accessLogTo(write),
  });
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.close();
  await store.close();
});

/** Slots of the first worker that are held by `worker`. */
function heldSlots(worker = 0): number {
  const { held, layout } = gateway.memory;
  return new Int32Array(held)[worker * layout.workers] ?? 0;
}

/** A client of `worker` that asks for `path` again and again, and reads nothing, until one of its answers holds a slot. */
async function stall(path: string, worker = 0): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url(worker));
  const socket = connect(Number(port), hostname).pause();
  sockets.push(socket);
  const before = heldSlots(worker);
  let looks = 0;
  for (;;) {
    const answered = answers(path);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    // a slot is held as well while an answer goes out that the system takes: many turns later it still is, or that has ended
    for (let heads = 0; heads < 10 && answers(path) === answered; ) {
      if (++looks > LOOKS) throw new Error(`no answer for ${path} holds a slot`);
      await gateway.head('/b/nothing', {}, worker);
      heads = heldSlots(worker) > before ? heads + 1 : 0;
    }
    if (answers(path) === answered) return socket;
  }
}

/** How many requests for `path` have been answered. */
function answers(path: string): number {
  return lines.filter(({ url }) => url === path).length;
}

/** What the client gets after all, from the head on. */
async function rest(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** Stalled readers hold `stalledReaders` slots, and others are being read, so that there is no room for a fill. */
function crowd(): void {
  const pins = new SlotPins(gateway.memory, 0);
  for (let page = 0; page < pages; page++) {
    const granules = mebibyte / GRANULE_BYTES;
    const first = page * granules;
    if (!pins.isAnyHeld(first, granules)) pins.acquire(first, pins.tag(first));
  }
}

function cutLines(): readonly Record<string, unknown>[] {
  return lines.filter(({ failure }) => failure !== undefined);
}

/** Lets time pass until one answer was cut. */
async function oneIsCut(): Promise<void> {
  const cut = () => {
    clock.advance(50);
    return cutLines().length;
  };
  await expect.poll(cut).toBe(1);
}

/** Answers that were cut since their clients took nothing. */
async function shed(worker = 0): Promise<number> {
  const family = (await gateway.metrics[worker]?.snapshot())?.find(
    ({ name }) => name === 'tidegate_requests_shed_total',
  );
  return family?.values.find(({ labels }) => labels.reason === 'stalled')?.value ?? 0;
}

it.each([
  ['pieces of long answers', 'long'],
  ['whole answers', 'short'],
])(
  '%s that nobody takes: the oldest goes when a miss waits for room, and not before',
  async (_what, name) => {
    await startGateway(1);
    for (let index = 0; index < stalledReaders; index++) {
      store.put('b', `long-${index}`, describingBytes({ object: index, version: 1 }, 0, stalledBytes));
      store.put('b', `short-${index}`, describingBytes({ object: index, version: 1 }, 0, mebibyte));
    }
    store.put('b', 'miss', describingBytes({ object: 9, version: 1 }, 0, mebibyte));
    const stalled: Socket[] = [];
    for (let index = 0; index < stalledReaders; index++) {
      stalled.push(await stall(`/b/${name}-${index}`));
      expect(heldSlots()).toBe(index + 1);
      clock.advance(1_000);
    }
    crowd();
    clock.advance(30_000);
    expect(heldSlots()).toBe(pages);
    expect(await shed()).toBe(0);

    const miss = gateway.get('/b/miss');
    await oneIsCut();
    const { status, body } = await miss;
    expect(status).toBe(200);
    expect(body.equals(describingBytes({ object: 9, version: 1 }, 0, mebibyte))).toBe(true);
    clock.advance(30_000);
    const cut = cutLines();
    expect(cut).toEqual([
      expect.objectContaining({
        status: 200,
        url: `/b/${name}-0`,
        failure: expect.stringContaining('the client stalled'),
      }),
    ]);
    expect(await shed()).toBe(1);
    expect(cut[0]?.clientLeft).toBeUndefined();
    const [first, ...others] = stalled;
    if (first) expect((await rest(first)).length).toBeLessThan(stalledBytes / 2);
    expect(others.every(socket => !socket.destroyed)).toBe(true);
  },
);

/** A name of an object that the first of two workers owns. */
function ownedByFirst(name: string): string {
  for (let index = 0; ; index++) {
    const key = `${name}-${index}`;
    if (ownerOf(testKey('main', 'b', key).hash, 2) === 0) return key;
  }
}

it('a reader at another worker that nobody takes from gives back what it holds of the owner of an object', async () => {
  await startGateway(2);
  const [stuck, missed] = [ownedByFirst('stuck'), ownedByFirst('missed')];
  store.put('b', stuck, describingBytes({ object: 1, version: 1 }, 0, stalledBytes));
  store.put('b', missed, describingBytes({ object: 9, version: 1 }, 0, mebibyte));
  const stalled = await stall(`/b/${stuck}`, 1);
  expect(heldSlots(1)).toBe(1);
  crowd();
  clock.advance(30_000);
  expect(await shed(1)).toBe(0);

  const miss = gateway.get(`/b/${missed}`);
  await oneIsCut();
  const { status, body } = await miss;
  expect(status).toBe(200);
  expect(body.equals(describingBytes({ object: 9, version: 1 }, 0, mebibyte))).toBe(true);
  expect(heldSlots(1)).toBe(0);
  expect([await shed(0), await shed(1)]).toEqual([0, 1]);
  expect((await rest(stalled)).length).toBeLessThan(stalledBytes / 2);
});
