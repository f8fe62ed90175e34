import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Block } from '../../src/cache/block.ts';
import { type Entry, generationsOf } from '../../src/cache/entry.ts';
import { Generation } from '../../src/cache/generation.ts';
import type { AskedFor, GenerationIdentity } from '../../src/cache/generation-identity.ts';
import { LooseEntry } from '../../src/cache/loose-entry.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../src/cache/object-key.ts';
import { PackedEntries } from '../../src/cache/packed-entries.ts';
import type { Revive } from '../../src/cache/packed-entry.ts';
import type { ObjectRecord } from '../../src/cache/record.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { testKey } from '../support/object-keys.ts';
import { recordFields } from '../support/records.ts';

const pageBytes = 65_536;
const blockBytes = 4_096;
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

  create(identity: GenerationIdentity, blockBytes = pageBytes, first?: AskedFor): Generation {
    let asked = first;
    const reading = {
      ...{ open: unused, lend: unused },
      askAs: (next: AskedFor) => {
        asked = next;
      },
      get asked() {
        return asked;
      },
    };
    return new Generation(identity, blockBytes, this.#tier, reading);
  }

  evict(block: Block | undefined): void {
    if (!block) return;
    block.evicted();
    this.#tier.free(block.slot);
  }

  /** Finds what was packed, and unpacks it. */
  revive(objectKey: ObjectKey): Entry | undefined {
    const create: Revive = this.create.bind(this);
    return this.entries.take(objectKey.text)?.revive(objectKey, create);
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
        const revived = packed?.revive(objectKey, identity => {
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
        expect(plain(revived?.records)).toEqual(plain(records));
        expect(world.entries.get(objectKey.text)).toBeUndefined();
      }
      expect(world.entries.size).toBe(0);
    }),
    { numRuns: 200 },
  );
  for (const [where, times] of Object.entries(seen)) expect(times, where).toBeGreaterThan(0);
});

/** All that is told of an object. */
function told(entry: Entry | undefined) {
  const contents = entry ? [...generationsOf(entry)] : [];
  return {
    records: [...(entry?.records ?? [])].map(([name, record]) => {
      const isOf = (one: Generation) => record.kind === 'readable' && record.content === one;
      return [name, { ...record, content: contents.findIndex(isOf), isWithdrawn: false }];
    }),
    contents: contents.map(content => {
      const { identity, contentId, asked, parts, heldBytes } = content;
      const starts = Array.from(
        { length: Math.ceil(content.sizeBytes / blockBytes) },
        (_, index) => index * blockBytes,
      );
      const bytes = starts.map(start => content.peekText(start, content.availableUntil(start)));
      return { identity, contentId, asked, parts: parts.entries(), count: parts.count, heldBytes, bytes };
    }),
  };
}

/** What may happen to an object with one content while it is unpacked; `held` are the first bytes of it that are held. */
const changes: Readonly<
  Record<string, (entry: Entry, content: Generation, world: World, value: number) => Entry>
> = {
  nothing: entry => entry,
  'a copy': entry => ({ ...entry }),
  'a later barrier': (entry, _content, _world, value) =>
    Object.assign(entry, { barrier: entry.barrier + value }),
  'other records': (entry, content, _world, value) => {
    content.untell();
    const record = { ...recordFields(content.sizeBytes), receivedMs: value, content };
    return { ...entry, records: new Map([['other', record]]) };
  },
  'another content': (entry, content, world, value) => {
    content.untell();
    const other = world.create({ ...content.identity, entityTag: `"${value}"` }, blockBytes);
    const record = { ...recordFields(content.sizeBytes), content: other };
    return { ...entry, records: new Map([...entry.records, ['other', record]]) };
  },
  'a part': (entry, content, _world, value) => {
    content.parts.learn(1, { first: 0, last: value, checksums: [] }, 2);
    return entry;
  },
  'another question': (entry, content, _world, value) => {
    content.askAs({ versionId: `${value}`, requestPayer: undefined });
    return entry;
  },
  'more bytes': (entry, content, world, value) => {
    const from = content.availableUntil(0);
    const length = Math.min(value, content.blockEnd(0) - from);
    if (length > 0) world.fill(content, from, value % 256, length);
    return entry;
  },
  'too few bytes behind a gap': (entry, content, world, value) => {
    const from = content.blockEnd(0) - content.availableUntil(0);
    if (from > 0) world.fill(content, from, value % 256, content.blockEnd(0) - from);
    return entry;
  },
  'another block': (entry, content, world, value) => {
    if (content.sizeBytes > blockBytes) world.fill(content, blockBytes, value % 256, 1);
    return entry;
  },
  'bytes elsewhere': (entry, content, world, value) => {
    world.evict(content.blockAt(0));
    world.fill(content, 0, value % 256, 1);
    return entry;
  },
};

it('whatever happens to an object while it is unpacked, it is the same after it was packed again', () => {
  const sizes = fc.oneof(
    fc.integer({ min: 1, max: 500 }),
    fc.integer({ min: blockBytes, max: 2 * blockBytes }),
  );
  const change = fc.record({ name: fc.constantFrom(...Object.keys(changes)), value: fc.nat(1_000) });
  fc.assert(
    fc.property(sizes, fc.nat(300), fc.array(change, { maxLength: 8 }), (sizeBytes, mostBytes, changed) => {
      const world = new World();
      const objectKey = testKey('main', 'b', 'k');
      const content = world.create(named(objectKey, sizeBytes), blockBytes);
      world.fill(content, 0, 7, Math.min(mostBytes + 1, content.blockEnd(0)));
      const records = new Map([['', { ...recordFields(sizeBytes), content }]]);
      world.entries.add({ objectKey, records, barrier: 0 });
      for (const { name, value } of changed) {
        const revived = world.revive(objectKey);
        const [content] = revived ? generationsOf(revived) : [];
        if (!revived || !content) throw new Error('it is not known');
        const entry = changes[name]?.(revived, content, world, value) ?? revived;
        const before = told(entry);
        world.entries.add(entry);
        const again = world.revive(objectKey);
        expect(told(again), name).toEqual(before);
        // purges that came up to the earlier one are looked at again
        expect(again?.barrier, name).toBeLessThanOrEqual(entry.barrier);
        if (again) world.entries.add(again);
      }
    }),
    { numRuns: 300 },
  );
});
