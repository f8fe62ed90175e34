import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { ObjectChangedError, OwnerLostError } from '../../../../src/gateway/fill/fill-error.ts';
import type { PeerCalls, PeerNotices } from '../../../../src/gateway/workers/messages.ts';
import { PeerLink } from '../../../../src/gateway/workers/peer-link.ts';
import { PeerServer } from '../../../../src/gateway/workers/peer-server.ts';
import { ToldContents } from '../../../../src/gateway/workers/told-contents.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf, readOf } from '../../../support/object-reads.ts';

/** Answers as the test says, and notes what it hears. */
class Service {
  readonly received: (keyof PeerNotices)[] = [];
  answers: (name: keyof PeerCalls) => Promise<unknown> = () => Promise.resolve(1);
  readonly procedures: PeerCalls & PeerNotices = {
    find: () => this.answers('find') as never,
    open: () => this.answers('open') as never,
    held: () => this.answers('held') as never,
    next: () => this.answers('next') as never,
    encode: () => this.answers('encode') as never,
    returned: () => undefined,
    close: () => this.received.push('close'),
    invalidate: () => this.received.push('invalidate'),
    refusedByStore: () => this.received.push('refusedByStore'),
    withdraw: () => this.received.push('withdraw'),
    left: () => this.received.push('left'),
  };
}

const object = { bucketName: 'b', objectKey: testKey('store', 'b', 'k') };
const open = { contentId: 1, object, from: 0, to: 1 };
let clock: ManualClock;
let channel: MessageChannel;
let here: Service;
let there: Service;
let link: PeerLink;
let closed: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  channel = new MessageChannel();
  here = new Service();
  there = new Service();
  new PeerLink(channel.port2, there.procedures, { clock, onClosed: () => undefined });
  const { promise, resolve } = Promise.withResolvers<void>();
  closed = promise;
  link = new PeerLink(channel.port1, here.procedures, { clock, onClosed: resolve });
});

afterEach(() => channel.port1.close());

it('gives each question its own answer, in whatever order they come', async () => {
  const first = Promise.withResolvers<number>();
  there.answers = name => (name === 'open' ? first.promise : Promise.resolve({ kind: 'end' }));
  const one = link.call('open', open);
  expect(await link.call('next', 1)).toEqual({ kind: 'end' });
  first.resolve(7);
  expect(await one).toBe(7);
});

it('an error keeps its meaning on the way', async () => {
  there.answers = () => Promise.reject(new ObjectChangedError('a new one'));
  await expect(link.call('open', open)).rejects.toBeInstanceOf(ObjectChangedError);
});

it('who waits for a worker that goes is told, and so is who asks it later', async () => {
  there.answers = () => new Promise(() => undefined);
  const waits = expect(link.call('open', open)).rejects.toBeInstanceOf(OwnerLostError);
  channel.port2.close();
  await waits;
  await closed;
  await expect(link.call('open', open)).rejects.toBeInstanceOf(OwnerLostError);
  expect(link.isLost).toBe(true);
  link.notify('close', 1);
});

describe('a worker whose event loop stands still', () => {
  let still: MessageChannel;
  let asking: PeerLink;
  const receivedLate: unknown[] = [];
  let heardAgain = 0;

  /** The other worker goes on: what has come meanwhile is answered. */
  const goOn = () => new PeerLink(still.port2, there.procedures, { clock, onClosed: () => undefined });

  beforeEach(() => {
    still = new MessageChannel();
    heardAgain = 0;
    asking = new PeerLink(still.port1, here.procedures, {
      ...{ clock, onClosed: () => undefined },
      onHeardAgain: () => heardAgain++,
    });
    receivedLate.length = 0;
  });

  afterEach(() => still.port1.close());

  const ask = () => asking.call('open', open, reader => receivedLate.push(reader));

  it('is not waited for longer than a second, and asked nothing more until it goes on', async () => {
    const asked = expect(ask()).rejects.toBeInstanceOf(OwnerLostError);
    clock.advance(999);
    expect(asking.isLost).toBe(false);
    clock.advance(1);
    await asked;
    expect(asking.isLost).toBe(true);
    await expect(ask()).rejects.toBeInstanceOf(OwnerLostError);
    there.answers = () => Promise.resolve(7);
    expect(heardAgain).toBe(0);
    goOn();
    expect(await asking.call('open', open)).toBe(7);
    expect([asking.isLost, heardAgain]).toEqual([false, 1]);
    expect(receivedLate, 'what was asked before').toEqual([7]);
    expect(await ask()).toBe(7);
  });

  it('is waited for by those who say so', async () => {
    const asked = asking.call('open', open);
    clock.advance(60_000);
    there.answers = () => Promise.resolve(7);
    goOn();
    expect(await asked).toBe(7);
  });

  it('may end without another word', async () => {
    const asked = expect(ask()).rejects.toBeInstanceOf(OwnerLostError);
    const waits = expect(asking.call('open', open)).rejects.toBeInstanceOf(OwnerLostError);
    clock.advance(1_000);
    still.port2.close();
    await Promise.all([asked, waits]);
    clock.advance(60_000);
    expect(receivedLate).toEqual([]);
  });
});

it('a worker that waits for a store is waited for, however long that takes', async () => {
  const answer = Promise.withResolvers<number>();
  there.answers = name => (name === 'open' ? answer.promise : Promise.resolve({ kind: 'end' }));
  const asked = link.call('open', open, () => undefined);
  const pinged = () => new Promise(resolve => channel.port2.once('message', resolve));
  for (let tick = 0; tick < 40; tick++) {
    const ping = pinged();
    clock.advance(250);
    await ping;
    // messages come in their order: the answer to the ping is there
    await link.call('next', 1);
  }
  expect(link.isLost).toBe(false);
  answer.resolve(7);
  expect(await asked).toBe(7);
});

it('notices about a bucket that the owner does not have are passed over, and a question about it is refused', async () => {
  const objects = new WorkerCache({
    memory: allocateSharedMemory(65_536, 4096, 1),
    worker: 0,
    recordBytes: 10_000,
    clock: new ManualClock(),
    random: () => 0.5,
    retried: () => undefined,
  });
  const server = new PeerServer(
    objects,
    { bucketOf: name => (name === 'b' ? bucketOf() : undefined) },
    new ToldContents(objects.tier.pins),
  );
  const second = new MessageChannel();
  const options = { clock, onClosed: () => undefined };
  new PeerLink(second.port2, server.procedures, options);
  const asking = new PeerLink(second.port1, here.procedures, options);
  const { bucket: _bucket, ...read } = readOf('k');
  const wire = { ...read, bucketName: 'unknown' };
  asking.notify('invalidate', { read: wire, contentId: 1 });
  const reply = { status: 404, fields: [], body: Buffer.alloc(0) };
  asking.notify('refusedByStore', { read: wire, contentId: 1, epoch: 0, receivedMs: 0, reply });
  await expect(
    asking.call('find', { number: 1, read: wire, withChecksums: false, client: '' }),
  ).rejects.toThrow(new OwnerLostError('has no bucket unknown any more'));
  second.port1.close();
});

it('the memory of a copy goes to the worker that asked, and none of it stays', async () => {
  const bytes = new Uint8Array(16 * 1024).fill(7);
  there.answers = () => Promise.resolve({ kind: 'copy', bytes });
  const answer = await link.call('next', 1);
  expect(answer).toEqual({ kind: 'copy', bytes: new Uint8Array(16 * 1024).fill(7) });
  expect(bytes.buffer.detached).toBe(true);
});
