import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryTable } from '../../src/cache/entry-table.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../src/cache/object-key.ts';
import { PackedEntry } from '../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../src/cache/purge-barriers.ts';
import type { ObjectRecord } from '../../src/cache/record.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { tagSlotOf, tagSlotsOf } from '../../src/cache/tag-slots.ts';
import { testKey } from '../support/object-keys.ts';
import { recordFields } from '../support/records.ts';

const keys = ['', 'a', 'a/', 'a/b', 'a/b/c', 'b', '1:a'];
const buckets = ['x', 'y'];
const tags = ['red', 'green', 'blue'];

const name = fc.record({ bucket: fc.constantFrom(...buckets), key: fc.constantFrom(...keys) });
const kind = fc.constantFrom('hard' as const, 'soft' as const);
const step = fc.oneof(
  fc.record({ do: fc.constant('store' as const), name, tags: fc.subarray(tags) }),
  fc.record({ do: fc.constant('look' as const), name }),
  fc.record({ do: fc.constant('key' as const), name, kind }),
  fc.record({ do: fc.constant('prefix' as const), name, kind }),
  fc.record({ do: fc.constant('tag' as const), tag: fc.constantFrom(...tags), kind }),
  fc.record({ do: fc.constant('others' as const), count: fc.nat(8) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** What is held by rights: all records, of which each purge removes or marks some, one by one. */
class NaiveCache {
  readonly held = new Map<string, { bucket: string; key: string; tags: string[]; softMs: number[] }>();

  purge(
    concerns: (one: { bucket: string; key: string; tags: string[] }) => boolean,
    soft: boolean,
    ms: number,
  ) {
    for (const [text, one] of this.held) {
      if (!concerns(one)) continue;
      if (soft) one.softMs.push(ms);
      else this.held.delete(text);
    }
  }
}

const unused = (): never => {
  throw new Error('no content is made here');
};

describe.each([
  ['as objects', 10_000_000],
  ['packed', 8_000],
])('records that are kept %s', (how, maxBytes) => {
  it('law 5: what barriers leave is what purging each record by a walk leaves', () => {
    let packed = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), steps => {
        const memory = allocateSharedMemory(1, 65_536, 1);
        const barriers = new PurgeBarriers(memory);
        const table = new EntryTable(maxBytes, new MemoryTier(memory, 0), barriers);
        const naive = new NaiveCache();
        const keyOf = (one: { bucket: string; key: string }) => testKey('main', one.bucket, one.key);
        const look = (key: ObjectKey) => (table.get(key) ?? table.revive(key, unused))?.records.get('');
        let others = 0;
        let nowMs = 1_000;
        const take = (one: Step): void => {
          nowMs += 1_000;
          if (one.do === 'store') {
            const key = keyOf(one.name);
            look(key);
            table.put(key, '', recordWith(one.tags, barriers.latest));
            naive.held.set(key.text, { ...one.name, tags: one.tags, softMs: [] });
          } else if (one.do === 'look') look(keyOf(one.name));
          else if (one.do === 'others')
            for (let left = one.count; left > 0; left--)
              table.put(testKey('main', 'z', `${others++}`), '', recordWith([], barriers.latest));
          else if (one.do === 'tag') {
            barriers.raise({ kind: 'tag', slot: tagSlotOf(one.tag) }, one.kind, nowMs);
            naive.purge(held => held.tags.includes(one.tag), one.kind === 'soft', nowMs);
          } else if (one.do === 'key') {
            barriers.raise({ kind: 'key', objectKey: keyOf(one.name) }, one.kind, nowMs);
            const { bucket, key } = one.name;
            naive.purge(held => held.bucket === bucket && held.key === key, one.kind === 'soft', nowMs);
          } else {
            const { bucket, key } = one.name;
            const range = { backend: 'main', bucket, keyPrefix: key };
            barriers.raise({ kind: 'range', range }, one.kind, nowMs);
            naive.purge(
              held => held.bucket === bucket && held.key.startsWith(key),
              one.kind === 'soft',
              nowMs,
            );
          }
        };
        for (const one of steps) take(one);
        packed += [...table].filter(known => known instanceof PackedEntry).length;
        for (const bucket of buckets)
          for (const key of keys) {
            const objectKey = keyOf({ bucket, key });
            const wanted = naive.held.get(objectKey.text);
            const found = look(objectKey);
            // what costs too much may be forgotten, but nothing else comes in its place
            if (how === 'packed' && !found) continue;
            expect(found !== undefined).toBe(wanted !== undefined);
            if (!wanted) continue;
            // of several soft purges that nothing was looked at between, the last one counts
            if (wanted.softMs.length > 0) expect(wanted.softMs).toContain(found?.staleFromMs);
            else expect(found?.staleFromMs).toBeUndefined();
          }
      }),
      { numRuns: 150 },
    );
    expect(packed > 0).toBe(how === 'packed');
  });
});

function recordWith(names: readonly string[], barrier: number): ObjectRecord {
  const body = Buffer.alloc(0);
  const tagSlots = tagSlotsOf(names);
  return { ...recordFields(0), kind: 'refused', isNegative: true, status: 404, body, barrier, tagSlots };
}
