import { beforeEach, expect, it } from 'vitest';
import type { Content } from '../../../src/cache/content.ts';
import { entryCostBytes, generationsOf } from '../../../src/cache/entry.ts';
import { EntryTable } from '../../../src/cache/entry-table.ts';
import { Generation } from '../../../src/cache/generation.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { PartMap } from '../../../src/cache/part-map.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import type { ObjectRecord, ReadableRecord } from '../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';

let tier: MemoryTier;
let barriers: PurgeBarriers;
const key = (name: string) => testKey('main', 'b', name);
const reading = {
  open: () => {
    throw new Error('nothing is read here');
  },
  lend: () => {
    throw new Error('nothing is lent here');
  },
};

beforeEach(() => {
  const memory = allocateSharedMemory(1, 65_536, 1);
  tier = new MemoryTier(memory, 0);
  barriers = new PurgeBarriers(memory);
});

/** A content that is not held here. */
const remote: Content = {
  sizeBytes: 10,
  parts: new PartMap(),
  coverage: () => 'none',
  lend: () => undefined,
  peekText: () => undefined,
  open: reading.open,
};

function content(entityTag: string): Generation {
  const identity = { objectKey: key('k').text, versionId: undefined, entityTag, sizeBytes: 10 };
  return new Generation(identity, 65_536, tier, reading);
}

function readable(generation: Generation): ReadableRecord {
  return { ...recordOf(generation), entityTag: generation.identity.entityTag };
}

it('gives a content up when no record answers with it any more, and not before', () => {
  const table = new EntryTable(1_000_000, tier, barriers);
  const [one, other] = [content('"1"'), content('"2"')];
  table.put(key('k'), '', readable(one));
  table.put(key('k'), 'v1', readable(one));
  table.put(key('k'), '', readable(other));
  expect(one.isRetired, 'the version still answers with it').toBe(false);
  table.forget(key('k'), 'v1');
  expect(one.isRetired).toBe(true);
  expect(other.isRetired).toBe(false);
  table.drop(key('k').text);
  expect(other.isRetired).toBe(true);
  expect(table.size).toBe(0);
});

it('law 8: costs no more than configured, and the least recently used go first', () => {
  const table = new EntryTable(20_000, tier, barriers);
  const contents = new Map<string, Generation>();
  for (let index = 0; index < 100; index++) {
    const name = `k${index}`;
    const generation = content(`"${index}"`);
    contents.set(name, generation);
    table.put(key(name), '', readable(generation));
    table.get(key('k0'));
    expect(table.costBytes).toBeLessThanOrEqual(20_000);
  }
  expect(table.get(key('k0')), 'it was used all the time').toBeDefined();
  expect(table.get(key('k1'))).toBeUndefined();
  expect(contents.get('k1')?.isRetired).toBe(true);
  expect(contents.get('k0')?.isRetired).toBe(false);
});

it('keeps a bounded number of variants of one object', () => {
  const table = new EntryTable(10_000_000, tier, barriers);
  for (let index = 0; index < 1_000; index++)
    table.put(key('k'), `origin ${index}`, readable(content(`"${index}"`)));
  const records: ReadonlyMap<string, ObjectRecord> = table.get(key('k'))?.records ?? new Map();
  expect(records.size).toBe(64);
  expect(records.has('origin 999')).toBe(true);
});

it('law 5: a record that is stored after a purge hides it from none of the others', () => {
  const table = new EntryTable(10_000_000, tier, barriers);
  table.put(key('k'), 'before', readable(content('"1"')));
  barriers.raise({ kind: 'key', objectKey: key('k') }, 'hard', 0);
  table.put(key('k'), 'since', { ...readable(content('"2"')), barrier: barriers.latest });
  expect([...(table.get(key('k'))?.records.keys() ?? [])]).toEqual(['since']);
});

it('variants do not displace the record of whoever names nothing', () => {
  const table = new EntryTable(10_000_000, tier, barriers);
  const one = content('"1"');
  table.put(key('k'), '', readable(one));
  const usedSince = ['a', 'b', 'c', 'd', 'e'];
  for (const name of [...usedSince, ...usedSince]) table.put(key('k'), name, readable(one));
  for (let index = 0; index < 200; index++) table.put(key('k'), `origin ${index}`, readable(one));
  const records: ReadonlyMap<string, ObjectRecord> = table.get(key('k'))?.records ?? new Map();
  expect([records.size, records.has(''), records.has('origin 199')]).toEqual([64, true, true]);
});

it('a record that is stored again is the newest one of its object', () => {
  const table = new EntryTable(10_000_000, tier, barriers);
  const put = (name: string) => table.put(key('k'), name, readable(content('"1"')));
  for (let index = 0; index < 64; index++) put(`v${index}`);
  put('v0');
  put('v64');
  const names = [...(table.get(key('k'))?.records.keys() ?? [])];
  expect(names).toHaveLength(64);
  // the new name comes before the few that were used last
  expect([names[0], names.at(-5), names.at(-1)]).toEqual(['v5', 'v64', 'v0']);
});

it('a look that is no use keeps nothing from being evicted', () => {
  const table = new EntryTable(20_000, tier, barriers);
  for (let index = 0; index < 100; index++) {
    table.put(key(`k${index}`), '', readable(content(`"${index}"`)));
    table.peek(key('k0'));
  }
  expect(table.peek(key('k0'))).toBeUndefined();
  const names = Array.from(table, ({ text }) => text);
  expect(names[0]).toBe(key('k99').text);
  expect(names).toHaveLength(table.size);
  expect(table.capacityBytes).toBe(20_000);
});

it('an entry that alone is larger than the limit is not kept, and its content is given up', () => {
  const table = new EntryTable(1_000, tier, barriers);
  const generation = content('"1"');
  table.put(key('k'), '', readable(generation));
  expect([table.size, table.costBytes, generation.isRetired]).toEqual([0, 0, true]);
});

it('knows whether any record of its object answers with a content', () => {
  const table = new EntryTable(1_000_000, tier, barriers);
  const [one, other] = [content('"1"'), content('"2"')];
  expect(table.answersWith(one)).toBe(false);
  table.put(key('k'), 'v1', readable(one));
  table.put(key('k'), 'v2', readable(other));
  expect([table.answersWith(one), table.answersWith(other), table.answersWith(content('"1"'))]).toEqual([
    true,
    true,
    false,
  ]);
  table.forget(key('k'), 'v1');
  expect([table.answersWith(one), table.answersWith(other)]).toEqual([false, true]);
});

it('a content that has grown makes its entry cost more', () => {
  const table = new EntryTable(1_000_000, tier, barriers);
  const generation = content('"1"');
  table.put(key('k'), '', readable(generation));
  const [costBytes, contentBytes] = [table.costBytes, generation.costBytes];
  generation.parts.learn(1, { first: 0, last: 9, checksums: [] }, 1);
  const grownBytes = generation.costBytes - contentBytes;
  expect(grownBytes).toBeGreaterThan(0);
  table.grew(key('k'));
  expect(table.costBytes).toBe(costBytes + grownBytes);
  expect(table.get(key('k'))?.records.get('')).toMatchObject({ content: generation });
  table.grew(key('another'));
  table.forget(key('another'), 'v1');
  expect(table.size).toBe(1);
});

it('names cost what they are long, and a content of several records counts once', () => {
  const record = readable(content('"1"'));
  const costOf = (objectName: string, ...names: string[]) =>
    entryCostBytes({
      barrier: 0,
      objectKey: key(objectName),
      records: new Map(names.map(name => [name, record])),
    });
  expect(costOf('kkk', '') - costOf('k', '')).toBe(8);
  expect(costOf('k', 'vv') - costOf('k', '')).toBe(4);
  const recordBytes = costOf('k', '', 'vv') - costOf('k', 'vv');
  expect(recordBytes).toBeGreaterThan(0);
  expect(costOf('k', '') - costOf('k') - recordBytes).toBe(content('"1"').costBytes);
});

it('has no content to give up for a record that has none, or one that another worker holds', () => {
  const lent = { ...recordOf(content('"1"')), content: { ...remote } };
  const refused: ObjectRecord = {
    ...recordOf(content('"1"')),
    ...{ kind: 'refused', isNegative: true, status: 404, body: Buffer.alloc(0) },
  };
  const records = new Map<string, ObjectRecord>([
    ['', lent],
    ['v1', refused],
  ]);
  expect(generationsOf({ barrier: 0, objectKey: key('k'), records })).toEqual([]);
});

it('law 5: an entry that is looked up while threads raise barriers is concerned by each of them, in whatever order they come to stand', () => {
  const shared = allocateSharedMemory(1, 65_536, 1);
  const raised = new PurgeBarriers(shared);
  const table = new EntryTable(1_000_000, tier, raised);
  const [begun, standing] = [0, 1];
  const counters = new BigInt64Array(shared.barriers.counters);
  table.put(key('k'), '', recordOf(remote));
  // another thread has begun the first, and nothing of it can be seen yet
  counters[begun] = 1n;
  expect(table.get(key('k'))).toBeDefined();
  raised.raise({ kind: 'key', objectKey: key('other') }, 'hard', 0);
  expect([...counters]).toEqual([2n, 1n]);
  expect(table.get(key('k'))).toBeDefined();
  // now it can be seen
  counters[begun] = 0n;
  raised.raise({ kind: 'key', objectKey: key('k') }, 'hard', 0);
  [counters[begun], counters[standing]] = [2n, 2n];
  expect(table.get(key('k'))).toBeUndefined();
});

it('law 8: what is known of an object with more variants than are packed is not written at each change', () => {
  const memory = allocateSharedMemory(1, 65_536, 2);
  tier = new MemoryTier(memory, 1);
  const table = new EntryTable(10_000_000, tier, new PurgeBarriers(memory));
  const generation = content('"1"');
  const put = (variant: number) =>
    table.put(key('k'), `variant ${variant}`.padEnd(4_000), readable(generation));
  for (let variant = 0; variant < 40; variant++) put(variant);
  generation.openBlock(0);
  generation.write(0, Buffer.alloc(10));
  generation.closeBlock(0);
  const roomBytes = tier.packed.roomBeside(10);
  table.tell(key('k'));
  put(40);
  expect(tier.packed.roomBeside(10), 'nothing was so long').toBe(roomBytes);
});
