import { expect, it } from 'vitest';
import { EntryTable } from '../../../src/cache/entry-table.ts';
import { Generation } from '../../../src/cache/generation.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { objectKey } from '../../../src/cache/object-key.ts';
import type { ObjectRecord, ReadableRecord } from '../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { recordOf } from '../../support/records.ts';

const tier = new MemoryTier(allocateSharedMemory(1, 65_536, 1), 0);
const key = (name: string) => objectKey('main', 'b', name);
const reading = {
  open: () => {
    throw new Error('nothing is read here');
  },
  lend: () => {
    throw new Error('nothing is lent here');
  },
};

function content(entityTag: string): Generation {
  const identity = { objectKey: 'main\nb\nk', versionId: undefined, entityTag, sizeBytes: 10 };
  return new Generation(identity, 65_536, tier, reading);
}

function readable(generation: Generation): ReadableRecord {
  return { ...recordOf(generation), entityTag: generation.identity.entityTag };
}

it('gives a content up when no record answers with it any more, and not before', () => {
  const table = new EntryTable(1_000_000);
  const [one, other] = [content('"1"'), content('"2"')];
  table.put(key('k'), '', readable(one));
  table.put(key('k'), 'v1', readable(one));
  table.put(key('k'), '', readable(other));
  expect(one.isRetired, 'the version still answers with it').toBe(false);
  table.forget(key('k'), 'v1');
  expect(one.isRetired).toBe(true);
  expect(other.isRetired).toBe(false);
  table.forget(key('k'));
  expect(other.isRetired).toBe(true);
  expect(table.size).toBe(0);
});

it('law 8: costs no more than configured, and the least recently used go first', () => {
  const table = new EntryTable(20_000);
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
  const table = new EntryTable(10_000_000);
  for (let index = 0; index < 1_000; index++)
    table.put(key('k'), `origin ${index}`, readable(content(`"${index}"`)));
  const records: ReadonlyMap<string, ObjectRecord> = table.get(key('k'))?.records ?? new Map();
  expect(records.size).toBe(64);
  expect(records.has('origin 999')).toBe(true);
});
