import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { BucketTable } from '../../../../src/gateway/bucket-table.ts';
import { ObjectChangedError } from '../../../../src/gateway/fill/fill-error.ts';
import { OwnedObjects } from '../../../../src/gateway/owned-objects.ts';
import type { Notice, Questions } from '../../../../src/gateway/peers/messages.ts';
import { ContentNumbers, OwnerDesk } from '../../../../src/gateway/peers/owner-desk.ts';
import { PeerLink, type PeerService } from '../../../../src/gateway/peers/peer-link.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf } from '../../../support/object-reads.ts';

/** Answers as the test says, and notes what it hears. */
class Service implements PeerService {
  readonly heard: Notice[] = [];
  answers: (name: keyof Questions) => Promise<unknown> = () => Promise.resolve(1);
  readonly #left = Promise.withResolvers<void>();

  /** Kept when the other worker is gone. */
  get gone(): Promise<void> {
    return this.#left.promise;
  }

  answer<Name extends keyof Questions>(name: Name): Promise<Questions[Name]['answer']> {
    return this.answers(name) as Promise<Questions[Name]['answer']>;
  }

  hear(notice: Notice): void {
    this.heard.push(notice);
  }

  left(): void {
    this.#left.resolve();
  }
}

const open = { contentId: 1, from: 0, to: 1, hasBegun: false };
let channel: MessageChannel;
let here: Service;
let there: Service;
let link: PeerLink;
let closed: Promise<void>;

beforeEach(() => {
  channel = new MessageChannel();
  here = new Service();
  there = new Service();
  new PeerLink(channel.port2, there, () => undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  closed = promise;
  link = new PeerLink(channel.port1, here, resolve);
});

afterEach(() => channel.port1.close());

it('gives each question its own answer, in whatever order they come', async () => {
  const first = Promise.withResolvers<number>();
  there.answers = name => (name === 'open' ? first.promise : Promise.resolve({ kind: 'end' }));
  const one = link.ask('open', open);
  expect(await link.ask('next', { reader: 1 })).toEqual({ kind: 'end' });
  first.resolve(7);
  expect(await one).toBe(7);
});

it('an error keeps its meaning on the way', async () => {
  there.answers = () => Promise.reject(new ObjectChangedError('a new one'));
  await expect(link.ask('open', open)).rejects.toBeInstanceOf(ObjectChangedError);
});

it('who waits for a worker that goes is told, and so is who asks it later', async () => {
  there.answers = () => new Promise(() => undefined);
  const waits = expect(link.ask('open', open)).rejects.toBeInstanceOf(StoreError);
  channel.port2.close();
  await waits;
  await closed;
  await here.gone;
  await expect(link.ask('open', open)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  link.tell({ kind: 'close', reader: 1 });
});

it('notices about a bucket that the owner does not have are passed over, and a question about it is refused', async () => {
  const objects = new OwnedObjects({
    memory: allocateSharedMemory(65_536, 4096, 1),
    worker: 0,
    recordBytes: 10_000,
    clock: new ManualClock(),
    random: () => 0.5,
    retried: () => undefined,
  });
  const desk = new OwnerDesk(
    objects,
    new BucketTable(new Map([['b', bucketOf()]]), undefined),
    new ContentNumbers(),
  );
  const second = new MessageChannel();
  new PeerLink(second.port2, desk, () => undefined);
  const asking = new PeerLink(second.port1, here, () => undefined);
  const { bucket: _bucket, ...read } = readOf('k');
  const told = { ...read, bucketName: 'unknown' };
  asking.tell({ kind: 'outdated', read: told, contentId: 1 });
  asking.tell({ kind: 'refused', read: told, reply: { status: 404, fields: [], body: Buffer.alloc(0) } });
  await expect(asking.ask('find', { read: told, withChecksums: false })).rejects.toThrow('no bucket unknown');
  second.port1.close();
});
