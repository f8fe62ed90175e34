import { beforeEach, describe, expect, it, vi } from 'vitest';
import { recordName } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { type PurgeScope, purge } from '../../../../src/gateway/operate/purge.ts';
import { lookupFresh, lookupRecord } from '../../../../src/gateway/read/record-cache.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf } from '../../../support/object-reads.ts';
import { type ScriptedCall, ScriptedStore, versionOf } from '../../../support/scripted-store.ts';

const object = {
  sizeBytes: 5_000,
  ignoresRange: 'never',
  ignoresIfMatch: false,
  partBytes: 1_000,
  headers: {},
} as const;
let store: ScriptedStore;
let clock: ManualClock;
let objects: WorkerCache;
let read: ObjectRead;

beforeEach(() => {
  store = new ScriptedStore();
  clock = new ManualClock();
  objects = new WorkerCache({
    memory: allocateSharedMemory(8 * 1024 * 1024, 1024 * 1024, 1),
    worker: 0,
    recordBytes: 100_000,
    clock,
    random: () => 0.5,
    retried: () => undefined,
  });
  store.put('k', object);
  read = readOf('k', { bucket: bucketOf(store), method: 'HEAD' });
});

function purgeWith(request: PurgeScope): void {
  const buckets = new BucketTable(new Map([['b', read.bucket]]), undefined);
  purge(request, objects, buckets);
}

function call(index: number): ScriptedCall {
  const found = store.open[index];
  if (!found) throw new Error(`there is no request ${index}`);
  return found;
}

/** Lets the store say all that it has to say to request `index`. */
async function answer(index: number): Promise<void> {
  const asked = call(index);
  for (let step = 0; step < 4; step++) asked.step(1_000_000);
  await settled();
}

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

it('law 5: a purge by prefix overtakes each question about an object, whichever of them is answered first', async () => {
  const first = objects.objects.find(read);
  purgeWith({ kind: 'key', bucket: 'b', key: 'k' });
  const second = objects.objects.find(read);
  const asked = call(1);
  await answer(0);
  await first;
  asked.step(0);
  store.put('k', object);
  purgeWith({ kind: 'prefix', bucket: 'b', prefix: '' });
  asked.step(0);
  expect((await second).isStored).toBe(false);
  expect(lookupFresh(objects.objects.records, read, clock.nowMs())).toBeUndefined();
});

it('asks once for all who want the same, and tells who waited', async () => {
  const finds = [1, 2, 3].map(() => objects.objects.find(read));
  expect(store.open).toHaveLength(1);
  await answer(0);
  const found = await Promise.all(finds);
  expect(found.map(({ isCollapsed }) => isCollapsed)).toEqual([false, true, true]);
  expect(objects.objects.coalesced).toBe(2);
  expect((await objects.objects.find(read)).how).toBe('hit');
});

it('one HEAD revalidates for GET and HEAD, keeps the content that is the same and replaces another', async () => {
  const get = readOf('k', { bucket: read.bucket });
  const before = objects.objects.find(get);
  await answer(0);
  clock.advance(61_000);
  const again = objects.objects.find(get);
  await answer(0);
  expect((await again).how).toBe('revalidated');
  const contentOf = ({ record }: Awaited<typeof before>) => record.kind === 'readable' && record.content;
  expect(contentOf(await again)).toBe(contentOf(await before));
  store.put('k', object);
  clock.advance(61_000);
  const changed = objects.objects.find(get);
  await answer(0);
  const { how, record } = await changed;
  expect(how).toBe('fetched');
  expect(record.kind === 'readable' && versionOf(record.entityTag)).toBe(store.current('k'));
});

it('a missing object is remembered for a while, and what comes instead is found afterwards', async () => {
  store.remove('k');
  const missing = objects.objects.find({ ...read, method: 'GET' });
  await answer(0);
  expect((await missing).record).toMatchObject({ kind: 'refused', status: 404 });
  store.put('k', object);
  expect(lookupFresh(objects.objects.records, { ...read, method: 'GET' }, clock.nowMs())?.kind).toBe(
    'refused',
  );
  clock.advance(5_001);
  const found = objects.objects.find({ ...read, method: 'GET' });
  await answer(0);
  expect((await found).record.kind).toBe('readable');
});

it('a refusal of what was asked before a write withdraws nothing that was learned since', async () => {
  const missed = expect(objects.objects.find(read)).rejects.toMatchObject({ reply: { status: 403 } });
  const refused = call(0);
  refused.refuseWith = 403;
  objects.epochs.raise(read.objectKey.keySlot);
  const found = objects.objects.find(read);
  await answer(1);
  await found;
  for (let step = 0; step < 4; step++) refused.step(1_000_000);
  await missed;
  const isWithdrawn = () => lookupFresh(objects.objects.records, read, clock.nowMs())?.isWithdrawn ?? false;
  expect(isWithdrawn()).toBe(false);
  clock.advance(61_000);
  const later = expect(objects.objects.find(read)).rejects.toMatchObject({ reply: { status: 403 } });
  call(0).refuseWith = 403;
  await answer(0);
  await later;
  const { recordNamed } = objects.objects.records;
  expect(recordNamed.call(objects.objects.records, read, read.recordName)?.isWithdrawn).toBe(true);
});

describe('a refusal of bytes of an object', () => {
  const missing = { status: 404, fields: [], body: Buffer.from('<Error><Code>NoSuchKey</Code></Error>') };
  const get = () => readOf('k', { bucket: read.bucket });
  const kept = () => lookupFresh(objects.objects.records, get(), clock.nowMs())?.kind;

  async function find() {
    const finding = objects.objects.find(get());
    await answer(0);
    return (await finding).record;
  }

  it('ends what is known while that is as it was, and the store is asked for its last word', async () => {
    const before = await find();
    clock.advance(61_000);
    // bytes of it may be under way since before this: another question was answered later
    const confirmed = await find();
    expect(confirmed).not.toBe(before);
    objects.objects.refusedByStore(get(), confirmed, missing);
    expect(kept()).toBeUndefined();
    await find();
    expect(kept()).toBe('readable');
  });

  it('ends what is known to a browser, whose `Origin` was not sent for the bytes', async () => {
    const variant = { ...get().variant, origin: 'https://page.example' };
    const asked = readOf('k', { bucket: read.bucket, variant });
    const finding = objects.objects.find(asked);
    await answer(0);
    objects.objects.refusedByStore(asked, (await finding).record, missing);
    const { recordNamed } = objects.objects.records;
    expect(recordNamed.call(objects.objects.records, asked, asked.recordName)).toBeUndefined();
  });

  it('says nothing about what was written, or asked anew after a purge, before it came', async () => {
    const before = await find();
    purgeWith({ kind: 'key', bucket: 'b', key: 'k' });
    objects.objects.refusedByStore(get(), before, missing);
    expect(kept(), 'nothing is known').toBeUndefined();
    await find();
    objects.objects.refusedByStore(get(), before, missing);
    expect(kept()).toBe('readable');
  });

  it('says nothing about an object that was replaced at the store', async () => {
    const before = await find();
    clock.advance(61_000);
    store.put('k', object);
    await find();
    objects.objects.refusedByStore(get(), before, missing);
    expect(kept()).toBe('readable');
  });
});

it('asks at first for a fair share of the memory: less of each object, the more are asked for', () => {
  const sent = vi.spyOn(store, 'send');
  for (const key of ['one', 'two', 'three']) {
    store.put(key, object);
    void objects.objects.find(readOf(key, { bucket: bucketOf(store), method: 'GET' }));
  }
  const { blockSizeBytes } = read.policy;
  const ranges = sent.mock.calls.map(([{ fields }]) => fields.find(({ name }) => name === 'range')?.value);
  const lengths = ranges.map(range => Number(range?.split('-')[1]) + 1);
  const shares = [1, 2, 3].map(objectCount => (4 * 1024 * 1024) / objectCount);
  expect(lengths).toEqual(shares.map(share => Math.floor(share / blockSizeBytes) * blockSizeBytes));
});

it('who waits for a revalidation is not refused for the part that another reader asks for', async () => {
  // with Origin, only a GET tells what GET is answered
  const variant = { origin: 'https://app.test', expectedBucketOwner: undefined, requestPayer: undefined };
  const get = readOf('k', { bucket: bucketOf(store), variant });
  const first = objects.objects.find(get);
  await answer(0);
  await first;
  clock.advance(61_000);
  const ofPart = objects.objects.find({ ...get, partNumber: 99 });
  const refusal = expect(ofPart).rejects.toMatchObject({ reply: { status: 416 } });
  const ofWhole = objects.objects.find(get);
  expect(store.open).toHaveLength(1);
  await answer(0);
  expect(await ofWhole).toMatchObject({
    how: 'revalidated',
    record: { kind: 'readable' },
    isCollapsed: true,
  });
  await answer(0);
  await refusal;
});

it('a GET that wants checksums of an object that is gone is refused in the words of GET', async () => {
  const get = readOf('k', { bucket: bucketOf(store) });
  const first = objects.objects.find(get);
  await answer(0);
  await first;
  store.remove('k');
  const asked = objects.objects.find(get, true);
  await answer(0);
  await answer(0);
  const { record } = await asked;
  expect(record).toMatchObject({ kind: 'refused', status: 404 });
  expect(record.kind === 'refused' && record.body.toString()).toContain('NoSuchKey');
});

describe('an object that is too large for one of two buckets', () => {
  const large = () => readOf('k', { bucket: bucketOf(store) });
  const limited = () => ({ ...large(), policy: { ...large().policy, maxObjectSizeBytes: 1_000 } });
  const fetch = async (asked: ObjectRead) => {
    const found = objects.objects.find(asked);
    while (store.open.length > 0) await answer(0);
    return (await found).record;
  };

  it('is kept for the other, whichever is read first', async () => {
    expect(await fetch(limited())).toMatchObject({ kind: 'uncacheable', tooLargeBytes: 5_000 });
    expect(lookupFresh(objects.objects.records, limited(), clock.nowMs())?.kind).toBe('uncacheable');
    expect((await fetch(large())).kind).toBe('readable');
    expect(lookupFresh(objects.objects.records, large(), clock.nowMs())?.kind).toBe('readable');
  });

  it('stays kept for the other when it is stale and found to be too large', async () => {
    const before = await fetch(large());
    clock.advance(61_000);
    expect((await fetch(limited())).kind).toBe('uncacheable');
    const after = await fetch(large());
    expect(after.kind === 'readable' && before.kind === 'readable' && after.content === before.content).toBe(
      true,
    );
  });

  it.each([
    ['first read', 0],
    ['revalidated', 61_000],
  ])('is kept for the other that asks while the first one does: %s', async (_when, ageMs) => {
    if (ageMs > 0) await fetch(large());
    clock.advance(ageMs);
    const ofLimited = objects.objects.find(limited());
    const ofLarge = objects.objects.find(large());
    while (store.open.length > 0) await answer(0);
    expect((await ofLimited).record.kind).toBe('uncacheable');
    expect((await ofLarge).record.kind).toBe('readable');
    expect(lookupFresh(objects.objects.records, large(), clock.nowMs())?.kind).toBe('readable');
  });

  it('is remembered as too large once it has grown', async () => {
    store.put('k', { ...object, sizeBytes: 500 });
    expect((await fetch(limited())).kind).toBe('readable');
    store.put('k', object);
    clock.advance(61_000);
    expect((await fetch(limited())).kind).toBe('uncacheable');
    expect(lookupFresh(objects.objects.records, limited(), clock.nowMs())?.kind).toBe('uncacheable');
  });
});

it.each(['GET', 'HEAD'] as const)(
  'a %s of a part that is answered without a range says nothing of the object',
  async method => {
    store.put('k', { ...object, hidesPartRange: true });
    const whole = readOf('k', { bucket: bucketOf(store) });
    const fetch = async (asked: ObjectRead) => {
      const found = objects.objects.find(asked);
      while (store.open.length > 0) await answer(0);
      return (await found).record;
    };
    const ofPart = () => fetch({ ...whole, method, partNumber: 2 });
    expect((await ofPart()).kind).toBe('uncacheable');
    const learned = await fetch(whole);
    expect(learned).toMatchObject({ kind: 'readable', sizeBytes: 5_000 });
    expect((await ofPart()).kind).toBe('uncacheable');
    expect(lookupFresh(objects.objects.records, whole, clock.nowMs())).toBe(learned);
  },
);

it.each(['GET', 'HEAD'] as const)(
  'a %s of a part that is refused is remembered of nothing, and makes what is held stale',
  async method => {
    const whole = readOf('k', { bucket: bucketOf(store) });
    const kept = () => lookupFresh(objects.objects.records, whole, clock.nowMs());
    const ofPart = async () => {
      const refused = expect(objects.objects.find({ ...whole, method, partNumber: 2 })).rejects.toMatchObject(
        {
          reply: { status: 404 },
        },
      );
      await answer(0);
      await refused;
    };
    store.remove('k');
    await ofPart();
    expect(kept()).toBeUndefined();
    store.put('k', object);
    const found = objects.objects.find(whole);
    await answer(0);
    await found;
    store.remove('k');
    expect(kept()?.kind).toBe('readable');
    await ofPart();
    expect(kept()).toBeUndefined();
    expect(lookupRecord(objects.objects.records, whole)).toMatchObject({
      ...{ kind: 'readable', isWithdrawn: true, staleFromMs: clock.nowMs() },
    });
  },
);

it('a reader of a part who wants checksums of an object that was empty learns nothing of the part from the whole', async () => {
  const variant = { origin: 'https://app.test', expectedBucketOwner: undefined, requestPayer: undefined };
  const ofPart = readOf('k', { bucket: bucketOf(store), variant, partNumber: 1 });
  const asked = objects.objects.find(ofPart, true);
  await answer(0);
  await answer(0);
  const { record } = await asked;
  expect(record.kind === 'readable' && record.content.parts.get(1)).toMatchObject({ first: 0, last: 999 });
});

it('a HEAD that the store refuses refuses no GET that revalidates meanwhile', async () => {
  const get = readOf('k', { bucket: bucketOf(store) });
  const first = objects.objects.find(get);
  await answer(0);
  await first;
  clock.advance(61_000);
  store.refusesHead = true;
  const refusal = expect(objects.objects.find(read)).rejects.toMatchObject({ reply: { status: 403 } });
  const asked = objects.objects.find(get);
  while (store.open.length > 0) await answer(0);
  await refusal;
  expect((await asked).record.kind).toBe('readable');
});

it('law 5: while a key is unsettled each read asks the store, and later ones do not join those who asked then', async () => {
  const first = objects.objects.find(read);
  await answer(0);
  expect((await first).isStored).toBe(true);
  objects.unsettled.add(read.objectKey.keySlot);
  for (const seconds of [0, 30, 29]) {
    clock.advance(seconds * 1_000);
    expect(lookupFresh(objects.objects.records, read, clock.nowMs())).toBeUndefined();
    const found = objects.objects.find(read);
    expect(store.open).toHaveLength(1);
    await answer(0);
    await found;
  }
  const early = objects.objects.find(read);
  clock.advance(2_000);
  const late = objects.objects.find(read);
  expect(store.open).toHaveLength(2);
  await answer(1);
  expect((await late).isCollapsed).toBe(false);
  await answer(0);
  await early;
  // one revalidation that began after that time, and it is fresh again
  const last = objects.objects.find(read);
  if (store.open.length > 0) await answer(0);
  await last;
  expect(lookupFresh(objects.objects.records, read, clock.nowMs())?.kind).toBe('readable');
});

describe('when who asked has left', () => {
  it.each(['GET', 'HEAD'] as const)(
    '%s: sixteen questions go on, and the store hears no more of the others',
    async method => {
      const leaving = new AbortController();
      const finds = Array.from({ length: 20 }, (_, number) =>
        objects.objects.find(readOf(`k${number}`, { bucket: read.bucket, method }), number === 0, {
          gone: leaving.signal,
          client: 'one',
        }),
      );
      const ends = Promise.allSettled(finds);
      expect(store.open).toHaveLength(20);
      leaving.abort(new Error('left'));
      expect(store.open).toHaveLength(16);
      while (store.open[0]) await answer(0);
      expect((await ends).filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(4);
    },
  );

  it('one block is taken of what nobody waits for, and all where somebody does', async () => {
    const large = { ...object, sizeBytes: 4 * 1024 * 1024 };
    const heldOf = async (key: string, gone?: AbortSignal) => {
      store.put(key, large);
      const get = readOf(key, { bucket: read.bucket });
      const found = objects.objects.find(get, false, gone && { gone, client: 'one' });
      if (gone) leaving.abort(new Error('left'));
      await answer(0);
      const { record } = await found;
      if (record.kind !== 'readable') throw new Error('not readable');
      const { blockSizeBytes } = get.policy;
      const { content } = record;
      const blocks = Array.from(
        { length: large.sizeBytes / blockSizeBytes },
        (_, block) => block * blockSizeBytes,
      );
      return blocks.filter(from => content.coverage(from, from + blockSizeBytes) === 'all').length;
    };
    const leaving = new AbortController();
    expect(await heldOf('left', leaving.signal)).toBe(1);
    expect(store.open).toEqual([]);
    expect(await heldOf('awaited')).toBeGreaterThan(1);
  });
});

it('of another variant of what is held one block is asked for', async () => {
  store.put('k', { ...object, sizeBytes: 4 * 1024 * 1024 });
  const sent = vi.spyOn(store, 'send');
  const rangeOf = (call: number) =>
    sent.mock.calls[call]?.[0].fields.find(({ name }) => name === 'range')?.value;
  const { bucket } = read;
  const plain = readOf('k', { bucket });
  const first = objects.objects.find(plain);
  await answer(0);
  await first;
  const variant = { ...plain.variant, origin: 'https://a.test' };
  const other = objects.objects.find({
    ...plain,
    variant,
    recordName: recordName(undefined, variant, 'GET'),
  });
  await settled();
  expect(rangeOf(0)).not.toBe(rangeOf(1));
  expect(rangeOf(1)).toBe(`bytes=0-${plain.policy.blockSizeBytes - 1}`);
  for (const call of store.open) while (!call.isOver) call.step(1_000_000);
  expect((await other).record.kind).toBe('readable');
});

it('what waits to be renewed in the background is not asked about once it was purged', async () => {
  const policy = { ...read.policy, ttlMs: 1_000, staleWhileRevalidateMs: 600_000 };
  const reads = Array.from({ length: 17 }, (_, number) => ({
    ...readOf(`k${number}`, { bucket: read.bucket, method: 'HEAD' as const }),
    policy,
  }));
  for (const [index, each] of reads.entries()) {
    store.put(`k${index}`, object);
    const found = objects.objects.find(each);
    await answer(0);
    await found;
  }
  clock.advance(2_000);
  for (const each of reads) expect((await objects.objects.find(each)).how).toBe('stale');
  expect(store.open).toHaveLength(16);
  purgeWith({ kind: 'key', bucket: 'b', key: 'k16' });
  await answer(0);
  expect(store.open).toHaveLength(15);
});
