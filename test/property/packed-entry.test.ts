import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Entry } from '../../src/cache/entry.ts';
import { Generation } from '../../src/cache/generation.ts';
import type { GenerationIdentity } from '../../src/cache/generation-identity.ts';
import { LooseEntry } from '../../src/cache/loose-entry.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../src/cache/object-key.ts';
import { PackedEntries } from '../../src/cache/packed-entries.ts';
import type { ObjectRecord } from '../../src/cache/record.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { testKey } from '../support/object-keys.ts';
import { recordFields } from '../support/records.ts';

const pageBytes = 65_536;
const unused = (): never => {
  throw new Error('nothing is read here');
};

const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 60 }));
const fields = fc.array(fc.record({ name: text, value: text, store: fc.boolean() }), { maxLength: 4 });
const object = fc.record({
  key: text,
  /** Of the one content. */
  sizeBytes: fc.integer({ min: 1, max: 3_000 }),
  /** How much of it is held, from where on. */
  held: fc.record({ start: fc.nat(2_999), length: fc.integer({ min: 1, max: 3_000 }) }),
  barrier: fc.nat(),
  records: fc.dictionary(text, fc.record({ fields, tagSlots: fc.uniqueArray(fc.nat(), { maxLength: 3 }) }), {
    ...{ minKeys: 1, maxKeys: 3 },
    noNullPrototype: true,
  }),
});

/** The memory of one worker that packs what it is given. */
class World {
  readonly #tier = new MemoryTier(allocateSharedMemory(1, pageBytes, 1, { blocks: 'checked' }), 0);
  readonly entries = new PackedEntries(this.#tier);

  create(identity: GenerationIdentity): Generation {
    return new Generation(identity, pageBytes, this.#tier, { open: unused, lend: unused });
  }

  fill(content: Generation, start: number, fill: number, length: number): void {
    content.openBlock(start);
    content.write(start, Buffer.alloc(length, fill));
    content.closeBlock(start);
  }
}

function named(key: ObjectKey, sizeBytes: number): GenerationIdentity {
  return {
    objectKey: key.text,
    versionId: undefined,
    entityTag: '"t"',
    sizeBytes,
    contentEncoding: undefined,
  };
}

it('whatever is known of objects, it is the same after they were packed beside their bytes and found again', () => {
  const seen = { loose: 0, beside: 0 };
  fc.assert(
    fc.property(fc.uniqueArray(object, { maxLength: 12, selector: ({ key }) => key }), objects => {
      const world = new World();
      const expected = objects.map(({ key, sizeBytes, held, barrier, records: some }, number) => {
        const objectKey = testKey('main', 'b', key);
        const content = world.create(named(objectKey, sizeBytes));
        const start = held.start % sizeBytes;
        const length = Math.min(held.length, sizeBytes - start);
        world.fill(content, start, number, length);
        const records: Entry['records'] = new Map(
          Object.entries(some).map(([name, one]) => [name, { ...recordFields(sizeBytes), ...one, content }]),
        );
        world.entries.add({ objectKey, records, barrier });
        return { objectKey, sizeBytes, barrier, records, start, bytes: Buffer.alloc(length, number) };
      });
      expect([...world.entries.names()].sort()).toEqual(
        expected.map(({ objectKey }) => objectKey.text).sort(),
      );
      for (const { objectKey, sizeBytes, barrier, records, start, bytes } of expected) {
        const packed = world.entries.take(objectKey.text);
        expect([packed?.text, packed?.barrier, packed?.heldBytes]).toEqual([
          objectKey.text,
          barrier,
          bytes.length,
        ]);
        expect(new Set(packed?.tagSlots)).toEqual(
          new Set([...records.values()].flatMap(({ tagSlots }) => tagSlots)),
        );
        seen[packed instanceof LooseEntry ? 'loose' : 'beside']++;
        const contents = new Set<Generation>();
        const revived = packed?.revive(identity => {
          const content = world.create(identity);
          contents.add(content);
          return content;
        });
        const [content] = contents;
        expect(contents.size).toBe(1);
        expect(content?.identity).toEqual(named(objectKey, sizeBytes));
        expect(content?.blockAt(start)?.bytes(start, start + bytes.length)).toEqual(bytes);
        const plain = (all: ReadonlyMap<string, ObjectRecord> | undefined) =>
          [...(all ?? [])].map(([name, record]) => [
            name,
            { ...record, content: undefined, isWithdrawn: false },
          ]);
        expect(plain(revived)).toEqual(plain(records));
        expect(world.entries.get(objectKey.text)).toBeUndefined();
      }
      expect(world.entries.size).toBe(0);
    }),
    { numRuns: 200 },
  );
  for (const [where, times] of Object.entries(seen)) expect(times, where).toBeGreaterThan(0);
});
