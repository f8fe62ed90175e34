import { expect, it, vi } from 'vitest';
import type { Loan } from '../../../../src/cache/content.ts';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { ObjectChangedError } from '../../../../src/gateway/fill/fill-error.ts';
import type { Configurations } from '../../../../src/gateway/request/configurations.ts';
import { PeerServer } from '../../../../src/gateway/workers/peer-server.ts';
import { ToldContents } from '../../../../src/gateway/workers/told-contents.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf, readOf } from '../../../support/object-reads.ts';
import { originOf, ScriptedStore } from '../../../support/scripted-store.ts';
import { describingBytes } from '../../../support/self-describing.ts';
import { turnsUntil } from '../../../support/turns-until.ts';

const blockBytes = 4096;

it.each([
  ['of a block that has been evicted', 0],
  ['out of a larger piece of memory', undefined],
])('what is lent %s is copied before the message is on its way', async (_what, slot) => {
  const bytes = Buffer.alloc(2 * blockBytes, 7).subarray(0, blockBytes);
  const { wire } = await nextOf({ bytes, slot, release: () => undefined });
  // the slot is another block's now
  bytes.fill(0xee);
  expect(wire).toMatchObject({ kind: 'copy' });
  const copy = 'bytes' in wire ? wire.bytes : Buffer.alloc(0);
  expect(Buffer.from(copy)).toEqual(Buffer.alloc(blockBytes, 7));
  expect(copy.buffer.byteLength).toBe(blockBytes);
});

it('the memory of a copy is no longer the loan’s when it is given back', async () => {
  const lengths: number[] = [];
  const bytes = Buffer.from(new ArrayBuffer(blockBytes)).fill(7);
  const release = () => lengths.push(bytes.length);
  const { wire, close } = await nextOf({ bytes, slot: undefined, release });
  close();
  expect(lengths).toEqual([0]);
  const copy = 'bytes' in wire ? wire.bytes : Buffer.alloc(0);
  expect(Buffer.from(copy)).toEqual(Buffer.alloc(blockBytes, 7));
});

/** What the other worker has had the beginning of: nobody here knows its number any more. */
const forgotten = {
  ...{ entityTag: '"k-1"', versionId: undefined, sizeBytes: 2 * blockBytes, blockBytes },
  asked: { versionId: undefined, requestPayer: undefined },
};
const objectKey = testKey('main', 'b', 'k');

/** An owner that is asked by two other workers, and the store of its objects. */
function askedByTwo(place = 'here') {
  const [store, later] = [newStore(), newStore()];
  const objects = new WorkerCache({
    memory: allocateSharedMemory(16 * blockBytes, blockBytes, 2),
    ...{ worker: 0, recordBytes: 100_000, clock: new ManualClock() },
    ...{ random: () => 0.5, retried: () => undefined, bucketNow: () => bucketOf(later) },
  });
  const told = new ToldContents(objects.tier.pins);
  const buckets: Pick<Configurations, 'bucketOf'> = {
    bucketOf: (_name, _objectKey, asked = place) => (asked === place ? bucketOf(store) : undefined),
  };
  const [one, other] = [1, 2].map(() => new PeerServer(objects, buckets, told).procedures);
  if (!one || !other) throw new Error('two workers ask');
  const range = {
    contentId: 77,
    object: { bucketName: 'b', objectKey },
    from: blockBytes,
    to: 2 * blockBytes,
  };
  return { store, later, objects, one, other, range };
}

function newStore(): ScriptedStore {
  const store = new ScriptedStore();
  store.put('k', {
    ...{ sizeBytes: 2 * blockBytes, partBytes: 2 * blockBytes },
    ...{ ignoresRange: 'never', ignoresIfMatch: false, headers: {} },
  });
  return store;
}

it('laws 4, 5: readers of any worker go on with a content that is forgotten by one question by the rules in force, and nobody else gets it', async () => {
  const { store, later, objects, one, other, range } = askedByTwo();
  const readers = [one, other].map(owner => ({ owner, ...owner.open({ ...range, begun: forgotten }) }));
  const loans = Promise.all(readers.map(({ owner, number }) => owner.next(number)));
  await turnsUntil('the store is asked', () => later.open.length > 0);
  expect([store.open.length, later.open.length]).toEqual([0, 1]);
  for (const call of later.open) while (!call.isOver) call.step(blockBytes);
  const wanted = describingBytes(originOf('k', 1), blockBytes, 2 * blockBytes);
  for (const loan of await loans) {
    expect(loan).toMatchObject({ kind: 'block', from: blockBytes, to: 2 * blockBytes });
    const { pins } = objects.tier;
    if (loan.kind === 'block') expect(pins.view(loan.block.slot, 0, blockBytes).equals(wanted)).toBe(true);
  }
  expect(objects.table.known(objectKey)).toBeUndefined();
  expect(() => one.open(range), 'nothing of it was sent').toThrow(ObjectChangedError);
  for (const { owner, number } of readers) owner.close(number);
  expect(objects.tier.usage.usedBytes).toBe(0);
});

it('law 2: a reader that goes on with a content that is forgotten ends where the store has another one', async () => {
  const { later, one, range } = askedByTwo();
  const changed = one.next(one.open({ ...range, begun: { ...forgotten, entityTag: '"k-0"' } }).number);
  await turnsUntil('the store is asked', () => later.open.length > 0);
  for (const call of later.open) call.step(blockBytes);
  await expect(changed).rejects.toThrow(ObjectChangedError);
});

it.each([
  ['has no tag to ask with', { ...forgotten, entityTag: undefined }, undefined],
  ['was made here', { ...forgotten, asked: undefined }, undefined],
  ['was made by rules that nobody knows any more', forgotten, 'elsewhere'],
])('nobody goes on with a content that is forgotten and %s', (_what, begun, place) => {
  const { one, range } = askedByTwo();
  const object = { ...range.object, ...(place !== undefined && { place }) };
  expect(() => one.open({ ...range, object, begun })).toThrow(ObjectChangedError);
});

it('how much is held is told to who reads from the beginning, and not to who goes on', async () => {
  const { open, range } = await nextOf({ bytes: Buffer.alloc(1), slot: undefined, release: () => undefined });
  expect(open(range)).toEqual({ number: 2, held: 'none' });
  expect(open({ ...range, begun: forgotten })).toEqual({ number: 3, held: undefined });
});

/** What is sent to a worker for which the owner's reader has `lent`. */
async function nextOf(lent: Loan) {
  const identity = { objectKey: 'b\nk\no', versionId: undefined, entityTag: '"t"', sizeBytes: blockBytes };
  const tier = new MemoryTier(allocateSharedMemory(16 * blockBytes, blockBytes, 1), 0);
  const generation = new Generation(identity, blockBytes, tier, {
    open: () => ({ next: () => lent, close: () => undefined }),
    lend: () => lent,
  });
  const told = new ToldContents(tier.pins);
  const objects: WorkerCache = Object.create(WorkerCache.prototype);
  const { open, next, close } = new PeerServer(objects, { bucketOf: () => undefined }, told).procedures;
  const contentId = told.content(generation, undefined).contentId;
  const object = { bucketName: 'b', objectKey: testKey('store', 'b', 'o') };
  const range = { contentId, object, from: 0, to: blockBytes };
  const { number } = open(range);
  return { open, range, wire: await next(number), close: () => close(number) };
}

it('an object that could not be told is told when its owner is asked for it again, and not at once', async () => {
  const store = new ScriptedStore();
  store.put('k', {
    ...{ sizeBytes: 100, partBytes: 100, headers: {} },
    ...{ ignoresRange: 'never', ignoresIfMatch: false },
  });
  const objects = new WorkerCache({
    memory: allocateSharedMemory(0, 16 * blockBytes, 2),
    ...{ worker: 0, recordBytes: 100_000, clock: new ManualClock() },
    ...{ random: () => 0.5, retried: () => undefined },
  });
  const { procedures } = new PeerServer(
    objects,
    { bucketOf: () => bucketOf(store) },
    new ToldContents(objects.tier.pins),
  );
  const { bucket, ...read } = readOf('k', { bucket: bucketOf(store), method: 'GET' });
  const find = (number: number) =>
    procedures.find({
      ...{ number, read: { ...read, bucketName: bucket.name }, withChecksums: false },
      client: '',
    });
  const tell = vi.spyOn(objects.table, 'tell');
  const finding = find(1);
  await turnsUntil('the store is asked', () => store.open.length > 0);
  for (const call of store.open) while (!call.isOver) call.step(blockBytes);
  expect(await finding).toMatchObject({ how: 'fetched' });
  expect(tell.mock.calls.filter(([, isAskedFor]) => isAskedFor)).toEqual([]);
  const told = () => objects.tier.texts.get(read.objectKey.text, () => true);
  const slot = told()?.slot ?? Number.NaN;
  objects.tier.texts.forget(slot);
  expect(await find(2)).toMatchObject({ how: 'hit' });
  expect(told()?.slot).toBe(slot);
  expect(tell).toHaveBeenLastCalledWith(read.objectKey, true);
  expect(await find(3)).toMatchObject({ told: { slot, tag: objects.tier.pins.tag(slot) } });
  // by the time that the answer is made, the owner knows something else
  const { find: really } = objects.objects;
  objects.objects.find = async (...asked) => {
    const found = await really.apply(objects.objects, asked);
    const { record } = found;
    objects.table.put(read.objectKey, '', { ...record, receivedMs: record.receivedMs + 1 });
    return found;
  };
  expect((await find(4)).told).toBeUndefined();
});
