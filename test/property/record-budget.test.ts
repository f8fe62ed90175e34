import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entryCostBytes, generationsOf } from '../../src/cache/entry.ts';
import { EntryTable } from '../../src/cache/entry-table.ts';
import { Generation } from '../../src/cache/generation.ts';
import type { GenerationIdentity } from '../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../src/cache/object-key.ts';
import { PackedEntry } from '../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { SlotEntry } from '../../src/cache/slot-entry.ts';
import { testKey } from '../support/object-keys.ts';
import { recordOf } from '../support/records.ts';

const blockBytes = 4096;
const sizeBytes = 64 * blockBytes;
const capacityBytes = 40_000;

const unused = () => {
  throw new Error('nothing is read here');
};

type Step =
  | { readonly kind: 'put'; readonly key: number; readonly variant: number; readonly anew: boolean }
  | { readonly kind: 'part'; readonly pick: number; readonly number: number; readonly checksum: string }
  | { readonly kind: 'fill'; readonly pick: number; readonly block: number }
  | { readonly kind: 'forget'; readonly key: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    key: fc.nat(5),
    variant: fc.nat(3),
    anew: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('part' as const),
    pick: fc.nat(),
    number: fc.integer({ min: 1, max: 200 }),
    checksum: fc.string({ maxLength: 90 }),
  }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('fill' as const), pick: fc.nat(), block: fc.nat(63) }),
  },
  fc.record({ kind: fc.constant('forget' as const), key: fc.nat(5) }),
);

it('law 8: records with all that hangs on them, parts and blocks learned of later too, stay in their budget', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), steps => {
      const memory = allocateSharedMemory(200 * blockBytes, blockBytes, 1);
      const tier = new MemoryTier(memory, 0);
      const table = new EntryTable(capacityBytes, tier, new PurgeBarriers(memory));
      const made: Generation[] = [];
      const revive = (key: ObjectKey, identity: GenerationIdentity) => {
        const reading = { open: unused, lend: unused };
        const generation = new Generation(identity, blockBytes, tier, reading, () => table.grew(key));
        made.push(generation);
        return generation;
      };
      const create = (key: ObjectKey) =>
        revive(key, { objectKey: key.text, versionId: undefined, entityTag: `"${made.length}"`, sizeBytes });
      for (const one of steps) {
        if ('key' in one && one.kind !== 'forget') {
          const key = keyOf(one);
          table.revive(key, identity => revive(key, identity));
        }
        take(one, table, made, create);
        const known = [...table];
        const entries = known.flatMap(one => table.peek(one) ?? []);
        const packed = known.flatMap(one => (one instanceof PackedEntry ? one : []));
        expect(entries.length + packed.length).toBe(table.size);
        const actualBytes =
          entries.reduce((sum, entry) => sum + entryCostBytes(entry), 0) +
          packed.reduce((sum, { costBytes }) => sum + costBytes, 0);
        expect(actualBytes).toBeLessThanOrEqual(table.costBytes);
        expect(table.costBytes).toBeLessThanOrEqual(capacityBytes);
        const answering = new Set(entries.flatMap(entry => [...generationsOf(entry)]));
        for (const generation of made) {
          if (answering.has(generation)) continue;
          expect(generation.isRetired).toBe(true);
          expect(generation.heldBlocks).toBe(0);
        }
        const heldBlocks = [...answering].reduce((sum, { heldBlocks }) => sum + heldBlocks, 0);
        // what has no blocks may lie in a slot of its own
        const packedBlocks = packed.reduce(
          (sum, one) => sum + (one instanceof SlotEntry ? 1 : one.slots.length),
          0,
        );
        expect(tier.usage.slots, 'law 9').toBe(heldBlocks + packedBlocks);
      }
    }),
    { numRuns: 100 },
  );
});

function keyOf(one: Step): ObjectKey {
  return testKey('main', 'b', `k${'key' in one ? one.key : 0}`);
}

function take(
  one: Step,
  table: EntryTable,
  made: Generation[],
  create: (key: ObjectKey) => Generation,
): void {
  const key = keyOf(one);
  if (one.kind === 'forget') table.drop(key.text);
  if (one.kind === 'put') {
    const entry = table.peek(key);
    const [held] = entry ? generationsOf(entry) : [];
    table.put(key, `v${one.variant}`, recordOf(one.anew || !held ? create(key) : held));
  }
  if (!('pick' in one)) return;
  const generation = made[one.pick % Math.max(1, made.length)];
  if (!generation || generation.isRetired) return;
  if (one.kind === 'part') {
    const checksums = [{ name: 'checksum-crc32', value: one.checksum, store: true }];
    generation.parts.learn(one.number, { first: 0, last: 1, checksums }, 200);
    return;
  }
  const position = one.block * blockBytes;
  if (!generation.openBlock(position)) return;
  generation.write(position, Buffer.alloc(blockBytes));
  generation.closeBlock(position);
}
