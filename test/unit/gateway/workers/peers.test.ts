import { expect, it, vi } from 'vitest';
import { PackedEntry } from '../../../../src/cache/packed-entry.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { lookupRecord } from '../../../../src/gateway/read/record-cache.ts';
import { PeerLink } from '../../../../src/gateway/workers/peer-link.ts';
import { Peers } from '../../../../src/gateway/workers/peers.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { localPorts } from '../../../support/local-ports.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf, readOf } from '../../../support/object-reads.ts';
import { recordFields } from '../../../support/records.ts';
import { ScriptedStore } from '../../../support/scripted-store.ts';
import { turnsUntil } from '../../../support/turns-until.ts';

const blockBytes = 4096;
/** The hash of a key in shard 1, which worker 1 owns. */
const objectOfOther = 1;

/** Worker 0, and the end of a link at which worker 1 has asked it for an object. */
async function askedOwner() {
  const store = new ScriptedStore();
  store.put('k', {
    sizeBytes: blockBytes,
    ignoresRange: 'never',
    ignoresIfMatch: false,
    partBytes: blockBytes,
    headers: {},
  });
  const clock = new ManualClock();
  const cache = new WorkerCache({
    memory: allocateSharedMemory(16 * blockBytes, blockBytes, 2),
    worker: 0,
    recordBytes: 100_000,
    clock,
    random: () => 0.5,
    retried: () => undefined,
  });
  const bucket = bucketOf(store);
  const peers = new Peers(cache, { bucketOf: () => bucket }, 2, {
    webBytes: 25_000,
    objectBytes: 75_000,
  });
  const [here, there] = localPorts();
  peers.connect(1, here);
  expect(peers.sourceOf(objectOfOther)).not.toBe(cache.objects);

  const nobody = () => Promise.reject(new Error('nobody asks'));
  const unasked = {
    find: nobody,
    open: (): never => {
      throw new Error('nobody opens');
    },
    held: (): never => {
      throw new Error('nobody reads');
    },
    next: nobody,
    returned() {},
    close() {},
    invalidate() {},
    refusedByStore() {},
    withdraw() {},
    encode: () => Promise.resolve(undefined),
    left() {},
  };
  const other = new PeerLink(there, unasked, { clock, onClosed: () => undefined });
  const { bucket: _bucket, ...fields } = readOf('k');
  const read = { ...fields, bucketName: 'b' };
  const found = other.call('find', { number: 1, read, withChecksums: false, client: '' });
  await turnsUntil('the store is asked', () => store.open.length > 0);
  for (const call of store.open) while (!call.isOver) call.step(blockBytes);
  const { record } = await found;
  if (record.kind !== 'readable') throw new Error('not readable');
  const { epoch, receivedMs } = record;
  const { contentId } = record.content;
  const { bucketName, objectKey } = read;
  const open = { contentId, object: { bucketName, objectKey }, from: 0, to: blockBytes };
  const known = () => lookupRecord(cache.objects.records, readOf('k', { bucket }))?.kind;
  return {
    cache,
    clock,
    store,
    peers,
    other,
    there,
    read,
    open,
    known,
    told: { contentId, epoch, receivedMs },
  };
}

it('when another worker goes, what it was lent is released and its objects are looked up here', async () => {
  const { cache, peers, other, there, open } = await askedOwner();
  const { number } = await other.call('open', open);
  const loan = await other.call('next', number);
  const slot = loan.kind === 'block' ? loan.block.slot : -1;
  expect(cache.tier.pins.isHeld(slot)).toBe(true);
  there.close();
  expect(cache.tier.pins.isHeld(slot)).toBe(false);
  expect(peers.sourceOf(objectOfOther)).toBe(cache.objects);
});

it('a refusal that another worker got counts for the record that it read, and for no other', async () => {
  const { other, read, open, known, told } = await askedOwner();
  const reply = { status: 404, fields: [], body: Buffer.from('<Error/>') };
  const late = [{ contentId: 77 }, { epoch: told.epoch - 1 }, { receivedMs: told.receivedMs - 1 }];
  for (const difference of late) other.notify('refusedByStore', { read, ...told, ...difference, reply });
  // messages come in their order
  await other.call('open', { ...open, to: 1 });
  expect(known()).toBe('readable');
  other.notify('refusedByStore', { read, ...told, reply });
  await other.call('open', { ...open, to: 1 });
  expect(known()).toBeUndefined();
});

it('law 6: what another worker was refused in place of this one is not served here where the store fails', async () => {
  const { cache, clock, other, read, open } = await askedOwner();
  const known = () => lookupRecord(cache.objects.records, readOf('k'));
  for (const mayBeGone of [false, true]) {
    other.notify('withdraw', { read, mayBeGone });
    // messages come in their order
    await other.call('open', { ...open, to: 1 });
    const { isWithdrawn, staleFromMs } = known() ?? {};
    expect([isWithdrawn, staleFromMs]).toEqual([true, mayBeGone ? clock.nowMs() : undefined]);
  }
});

/** Has the entry of the object packed, for others that were used since. */
function pack({ cache, read }: Awaited<ReturnType<typeof askedOwner>>): void {
  const refused = { ...recordFields(0), kind: 'refused', isNegative: true, status: 404 } as const;
  for (let left = 500; left > 0 && !(cache.table.known(read.objectKey) instanceof PackedEntry); left--)
    cache.table.put(testKey('s', 'b', `other ${left}`), '', { ...refused, body: Buffer.alloc(0) });
  expect(cache.table.known(read.objectKey)).toBeInstanceOf(PackedEntry);
}

it.each(['before', 'after'])(
  'another worker goes on with a content that is packed %s it opened it at first',
  async when => {
    const asked = await askedOwner();
    const { other, open, store, cache } = asked;
    const next = async () => {
      const { number } = await other.call('open', open);
      const loan = await other.call('next', number);
      other.notify('close', number);
      return loan;
    };
    if (when === 'after') expect(await next()).toMatchObject({ kind: 'block' });
    pack(asked);
    const questions = store.open.length;
    expect(await next()).toMatchObject({ kind: 'block', from: 0, to: blockBytes });
    expect(store.open.length).toBe(questions);
    expect(cache.table.peek(open.object.objectKey), 'it is not packed any more').toBeDefined();
    // the number is the same as before
    pack(asked);
    expect(await next()).toMatchObject({ kind: 'block' });
  },
);

it('what another worker tells of a content counts though it was packed since', async () => {
  for (const notice of ['invalidate', 'refusedByStore'] as const) {
    const asked = await askedOwner();
    const { other, read, open, known, told } = asked;
    pack(asked);
    const reply = { status: 404, fields: [], body: Buffer.from('<Error/>') };
    if (notice === 'invalidate') other.notify('invalidate', { read, contentId: told.contentId });
    else other.notify('refusedByStore', { read, ...told, reply });
    // messages come in their order
    await other.call('open', { ...open, to: 1 });
    expect(known()).toBeUndefined();
  }
});

it.each(['it says so', 'it has gone'])(
  'the store is asked no further for another worker whose readers have left: %s',
  async how => {
    const { store, other, there, read } = await askedOwner();
    const ask = (number: number) => {
      const objectKey = testKey('main', 'b', `other ${number}`);
      const found = other.call('find', {
        number,
        read: { ...read, objectKey },
        withChecksums: false,
        client: '',
      });
      found.catch(() => undefined);
    };
    for (let number = 1; number <= 20; number++) ask(number);
    await turnsUntil('the store is asked', () => store.open.length === 20);
    if (how === 'it has gone') there.close();
    else for (let number = 1; number <= 20; number++) other.notify('left', number);
    // those that go on have the places of questions that nobody waits for
    await turnsUntil('the others are given up', () => store.open.length === 16);
  },
);

it('what was learned in place of another worker is of no use when that goes on, or is replaced', async () => {
  const { cache, clock, store, peers } = await askedOwner();
  const ended = vi.spyOn(cache.stoodIn, 'end');
  const [here, there] = localPorts();
  peers.connect(1, here);
  expect(ended.mock.calls).toEqual([[1]]);
  const found = peers.sourceOf(objectOfOther).find(readOf('other', { bucket: bucketOf(store) }));
  found.catch(() => undefined);
  clock.advance(1_000);
  await turnsUntil('the store is asked in its place', () => store.open.length === 1);
  expect(ended.mock.calls).toHaveLength(1);
  there.postMessage({ kind: 'notice', name: 'pong' });
  await turnsUntil('it goes on', () => ended.mock.calls.length === 2);
});
