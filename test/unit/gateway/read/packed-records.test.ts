import { beforeEach, describe, expect, it } from 'vitest';
import { type Store, StoreError } from '../../../../src/backend/store.ts';
import { Generation } from '../../../../src/cache/generation.ts';
import { PackedEntry } from '../../../../src/cache/packed-entry.ts';
import type { ObjectRecord } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { staleAnswer } from '../../../../src/gateway/read/held-answers.ts';
import { lookupFresh } from '../../../../src/gateway/read/record-cache.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';

const mebibyte = 1024 * 1024;
const body = 'hello';
let clock: ManualClock;
let cache: WorkerCache;
let asked: string[];
let status: number;

const store: Store = {
  ...silentStore,
  send: ({ method, key, query }, receiver) => {
    asked.push([method, key, query].filter(Boolean).join(' '));
    const headers = { etag: '"t"', 'content-range': `bytes 0-4/5`, 'content-length': '5' };
    const fields = Object.entries(headers).map(([name, value]) => httpHeader(name, value));
    receiver.answered({ status, fields: status === 206 ? fields : [] });
    if (status === 206) receiver.arrived(Buffer.from(body));
    receiver.ended();
    return { pause: () => undefined, resume: () => undefined, took: () => undefined, abort: () => undefined };
  },
};

beforeEach(() => {
  clock = new ManualClock();
  [asked, status] = [[], 206];
  cache = new WorkerCache({
    memory: allocateSharedMemory(8 * mebibyte, mebibyte, 1),
    ...{ worker: 0, recordBytes: 40_000, clock, random: () => 0.5, retried: () => undefined },
  });
});

function read(different: Partial<ObjectRead> = {}, key = 'k'): ObjectRead {
  const plain = readOf(key, { bucket: bucketOf(store), ...different });
  return { ...plain, policy: { ...plain.policy, staleIfErrorMs: 3_600_000 } };
}

const known = (one: ObjectRead) => lookupFresh(cache.objects.records, one, clock.nowMs());
const isPacked = (one: ObjectRead) => cache.table.known(one.objectKey) instanceof PackedEntry;

async function readOthers(count = 40): Promise<void> {
  for (let index = 0; index < count; index++) await cache.objects.find(read({}, `other ${index}`));
}

/** The record that was found before it was packed. */
async function foundAndPacked(one: ObjectRead): Promise<ObjectRecord> {
  const { record } = await cache.objects.find(one);
  await readOthers();
  expect(isPacked(one)).toBe(true);
  asked = [];
  return record;
}

describe('a record that is packed', () => {
  it('answers, with its bytes, and the store is not asked', async () => {
    const before = await foundAndPacked(read());
    const { record, how } = await cache.objects.find(read());
    expect([how, asked, isPacked(read())]).toEqual(['hit', [], false]);
    const content = record.kind === 'readable' ? record.content : undefined;
    expect(content?.peekText(0, 5)).toBe(body);
    expect({ ...record, content: undefined }).toEqual({ ...before, content: undefined, isWithdrawn: false });
  });

  it('has its bytes asked for as it was itself, whoever reads', async () => {
    const variant = { origin: undefined, expectedBucketOwner: '1', requestPayer: undefined };
    await foundAndPacked(read({ versionId: 'v1', variant, recordName: 'v1' }));
    expect(known(read()), 'the current version is not known').toBeUndefined();
    const record = known(read({ versionId: 'v1', variant, recordName: 'v1' }));
    const content = record?.kind === 'readable' ? record.content : undefined;
    if (!(content instanceof Generation)) throw new Error('it is not known');
    cache.tier.free(content.blockAt(0)?.slot ?? -1);
    content.takeBlocks();
    const reader = content.open(0, 5);
    const next = reader.next();
    expect(asked).toEqual(['GET k versionId=v1']);
    (await next)?.release();
    reader.close();
  });

  it('is forgotten when what is told to be outdated is from before', async () => {
    const before = await foundAndPacked(read());
    cache.objects.invalidate(read(), before);
    expect(known(read())).toBeUndefined();
    const other = await foundAndPacked(read());
    clock.advance(1);
    cache.table.drop(read().objectKey.text);
    const { record } = await cache.objects.find(read());
    cache.objects.invalidate(read(), other);
    expect(known(read()), 'it was learned anew').toBe(record);
  });

  it('is forgotten with all that has its content', async () => {
    const variant = { origin: undefined, expectedBucketOwner: '1', requestPayer: undefined };
    const other = read({ variant, recordName: 'owner' });
    for (const packing of [false, true]) {
      await cache.objects.find(read());
      const { record } = await cache.objects.find(other);
      expect(known(read())).toMatchObject({
        content: record.kind === 'readable' ? record.content : undefined,
      });
      if (packing) await readOthers();
      cache.objects.invalidate(other, record);
      expect([known(read()), known(other)]).toEqual([undefined, undefined]);
    }
  });

  it('of a version has its bytes asked for by that version, although they were those of the current one at first', async () => {
    const versioned = read({ versionId: 'v1', recordName: 'v1' });
    const contentOf = async (one: ObjectRead) => {
      const { record } = await cache.objects.find(one);
      if (record.kind !== 'readable' || !(record.content instanceof Generation)) throw new Error('not held');
      return record.content;
    };
    const content = await contentOf(read());
    expect(content.asked?.versionId).toBeUndefined();
    // a write ends the record of the current version, whose content stays for whom it is of use
    cache.epochs.raise(read().objectKey.keySlot);
    expect(await contentOf(versioned)).toBe(content);
    expect(content.asked?.versionId).toBe('v1');
    await readOthers();
    const again = await contentOf(versioned);
    expect([again === content, again.asked?.versionId]).toEqual([false, 'v1']);
    cache.tier.free(again.blockAt(0)?.slot ?? -1);
    again.takeBlocks();
    asked = [];
    const reader = again.open(0, 5);
    const next = reader.next();
    expect(asked).toEqual(['GET k versionId=v1']);
    (await next)?.release();
    reader.close();
  });

  it('has the one part of an empty object, which ends before it begins', async () => {
    const { record } = await cache.objects.find(read());
    const part = { first: 0, last: -1, checksums: [] };
    if (record.kind === 'readable') record.content.parts.learn(1, part, 1);
    await readOthers();
    expect(isPacked(read())).toBe(true);
    const again = known(read());
    expect(again?.kind === 'readable' && again.content.parts.get(1)).toEqual(part);
  });

  it('is ended by a refusal of bytes that were begun before', async () => {
    const before = await foundAndPacked(read());
    cache.objects.refusedByStore(read(), before, { status: 404, fields: [], body: Buffer.alloc(0) });
    expect(known(read())).toBeUndefined();
  });

  it('law 6: is still withdrawn where the store had refused it', async () => {
    await foundAndPacked(read());
    cache.objects.withdraw(read(), false);
    await readOthers(40);
    expect(isPacked(read())).toBe(true);
    const record = known(read());
    expect(record).toMatchObject({ isWithdrawn: true });
    const failed = new StoreError('UNREACHABLE', 'the store is gone', undefined);
    const stale = (one: ObjectRecord | undefined) => staleAnswer(one, read(), failed, clock.nowMs());
    expect(stale(record)).toBeUndefined();
    expect(stale(record && { ...record, isWithdrawn: false })?.how).toBe('stale');
  });

  it('is known to operators, and dropped by them', async () => {
    await foundAndPacked(read());
    const { objectKey } = read();
    const text = [...cache.table].map(one => one.text);
    expect(text).toContain(objectKey.text);
    expect(cache.table.known(objectKey)?.heldBytes).toBe(5);
    cache.table.drop(objectKey.text);
    expect([cache.table.known(objectKey), known(read())]).toEqual([undefined, undefined]);
  });
});
