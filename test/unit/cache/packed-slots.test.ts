import { beforeEach, expect, it } from 'vitest';
import type { Entry } from '../../../src/cache/entry.ts';
import { Generation } from '../../../src/cache/generation.ts';
import type { GenerationIdentity } from '../../../src/cache/generation-identity.ts';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { keyedHash } from '../../../src/cache/keyed-hash.ts';
import { LooseEntry } from '../../../src/cache/loose-entry.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { PackedEntries } from '../../../src/cache/packed-entries.ts';
import { allocateSharedMemory, releaseWorker } from '../../../src/cache/shared-memory.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';

const pageBytes = 65_536;
const key = (name: string) => testKey('main', 'b', name);
const unused = (): never => {
  throw new Error('nothing is read here');
};

let tier: MemoryTier;
let entries: PackedEntries;

beforeEach(() => {
  tier = new MemoryTier(allocateSharedMemory(8 * pageBytes, pageBytes, 1, { blocks: 'checked' }), 0);
  entries = new PackedEntries(tier);
});

function create(identity: GenerationIdentity): Generation {
  return new Generation(identity, pageBytes, tier, { open: unused, lend: unused });
}

/** A content whose bytes are all `fill`, read once. */
function held(name: string, sizeBytes: number, fill = 1): Generation {
  const objectKey = key(name).text;
  const content = create({ objectKey, versionId: undefined, entityTag: `"${name}"`, sizeBytes });
  content.openBlock(0);
  content.write(0, Buffer.alloc(sizeBytes, fill));
  content.closeBlock(0);
  const block = content.blockAt(0);
  if (block) content.visit(block);
  return content;
}

/** Packs an object with one record for each of the names. */
function add(name: string, content: Generation, names: readonly string[] = ['']): void {
  const records: Entry['records'] = new Map(names.map(one => [one, recordOf(content)]));
  entries.add({ objectKey: key(name), records, barrier: 0 });
}

function revive(name: string): Generation | undefined {
  let revived: Generation | undefined;
  entries.take(key(name).text)?.revive(key(name), identity => (revived = create(identity)));
  return revived;
}

it('what has one short block is packed beside its bytes, costs no heap, and comes back', () => {
  for (let index = 0; index < 200; index++) add(`k${index}`, held(`k${index}`, 100, index));
  expect([entries.size, entries.costBytes, tier.usage.slots]).toEqual([200, 0, 200]);
  expect(tier.usage.usedBytes).toBe(200 * GRANULE_BYTES);
  for (let index = 199; index >= 0; index--) {
    const content = revive(`k${index}`);
    expect(content?.blockAt(0)?.bytes(0, 100)).toEqual(Buffer.alloc(100, index));
    expect(content?.identity.entityTag).toBe(`"k${index}"`);
  }
  expect([entries.size, tier.usage.slots]).toEqual([0, 200]);
});

it('what is evicted is not known any more, and all others are', () => {
  const evicted = () => tier.usage.evictions;
  let count = 0;
  for (; evicted() < 100; count++) add(`k${count}`, held(`k${count}`, 100));
  expect(entries.size).toBe(count - evicted());
  const known = Array.from({ length: count }, (_, index) => `k${index}`).filter(
    name => entries.get(key(name).text) !== undefined,
  );
  expect(known).toHaveLength(entries.size);
  expect([...entries].map(({ text }) => text).sort()).toEqual(known.map(name => key(name).text).sort());
  expect([...entries.names()].sort()).toEqual(known.map(name => key(name).text).sort());
});

/** A content of which nothing is held. */
function empty(name: string): Generation {
  return create({ objectKey: key(name).text, versionId: undefined, entityTag: `"${name}"`, sizeBytes: 100 });
}

it('what has no bytes is packed in a slot for itself, costs no heap, and comes back', () => {
  for (let index = 0; index < 100; index++) add(`k${index}`, empty(`k${index}`));
  expect([entries.size, entries.costBytes, tier.usage.slots]).toEqual([100, 0, 100]);
  expect(tier.usage.usedBytes).toBe(100 * GRANULE_BYTES);
  for (let index = 0; index < 50; index++) {
    expect(entries.get(key(`k${index}`).text)).toMatchObject({ heldBytes: 0, slots: [] });
    expect(revive(`k${index}`)?.identity.entityTag).toBe(`"k${index}"`);
  }
  for (let index = 50; index < 100; index++) entries.drop(key(`k${index}`).text);
  expect([entries.size, tier.usage.slots]).toEqual([0, 0]);
});

it('of what has no bytes that stays which is used again, however much is learned that is not', () => {
  add('hot', empty('hot'));
  for (let index = 0; tier.usage.evictions < 3_000; index++) {
    add(`k${index}`, empty(`k${index}`));
    const entry = index % 40 === 0 ? entries.take(key('hot').text)?.revive(key('hot'), create) : undefined;
    if (entry) entries.add(entry);
  }
  expect(entries.size).toBe(tier.usage.slots);
  expect(entries.get(key('hot').text), 'it was used now and then').toBeDefined();
  for (let index = 0; index < 150; index++) add(`l${index}`, empty(`l${index}`));
  expect(entries.get(key('hot').text), 'it was read again').toBeDefined();
  expect(entries.get(key('k0').text)).toBeUndefined();
});

it('what has no bytes is evicted in its turn among blocks', () => {
  for (let index = 0; index < 120; index++) add(`bare ${index}`, empty(`bare ${index}`));
  for (let index = 0; tier.usage.evictions < 50; index++) add(`k${index}`, held(`k${index}`, 100));
  const isKnown = (name: string) => entries.get(key(name).text) !== undefined;
  expect(['bare 0', 'bare 49', 'bare 50', 'bare 119', 'k0'].map(isKnown)).toEqual([
    ...[false, false],
    ...[true, true, true],
  ]);
});

it('law 8: however many names are read again that have no bytes, they take an eighth of the memory from the blocks', () => {
  for (let index = 0; index < 16; index++) {
    const content = held(`k${index}`, pageBytes / 4);
    // read again, as what is made up is
    for (const block of [content.blockAt(0)]) if (block) content.visit(block);
    add(`k${index}`, content);
  }
  for (let round = 0; round < 20; round++)
    for (let index = 0; index < 1_000; index++) {
      const name = `made up ${index}`;
      const entry = entries.take(key(name).text)?.revive(key(name), create);
      if (entry) entries.add(entry);
      else add(name, empty(name));
    }
  expect(
    Array.from({ length: 16 }, (_, index) => entries.get(key(`k${index}`).text)?.heldBytes),
  ).not.toContain(undefined);
  expect(tier.usage.slots).toBe(16 + (8 * pageBytes) / GRANULE_BYTES / 8);
});

it('what has no bytes, and more than a sixteenth of a page is known of, is packed on the heap', () => {
  const name = 'v'.repeat(pageBytes / 16);
  add('k', empty('k'), [name]);
  expect(entries.get(key('k').text)).toBeInstanceOf(LooseEntry);
  expect(tier.usage.slots).toBe(0);
});

it('where there is no room for it, what has no bytes is packed on the heap', () => {
  const owner = { contentHash: 0, evicted: () => undefined, moved: () => undefined };
  let filling = 0;
  while (tier.allocate(GRANULE_BYTES, owner) !== undefined) filling++;
  add('k', empty('k'));
  expect(entries.get(key('k').text)).toBeInstanceOf(LooseEntry);
  expect(tier.usage).toMatchObject({ slots: filling, evictions: 0 });
});

it('two keys of one hash are two objects', () => {
  const [one, other] = ['key 22074', 'key 31019'];
  expect(keyedHash([0, 0], key(one).text)).toBe(keyedHash([0, 0], key(other).text));
  add(one, held(one, 100, 1));
  expect(entries.get(key(other).text)).toBeUndefined();
  expect(entries.take(key(other).text)).toBeUndefined();
  add(other, held(other, 100, 2));
  expect(revive(one)?.blockAt(0)?.bytes(0, 1)).toEqual(Buffer.from([1]));
  expect(entries.get(key(one).text)).toBeUndefined();
  expect(revive(other)?.blockAt(0)?.bytes(0, 1)).toEqual(Buffer.from([2]));
});

it('what was damaged is not known, whichever byte it is, and its memory can be used again', () => {
  add('k', held('k', 100));
  const [slot = -1] = entries.get(key('k').text)?.slots ?? [];
  const memory = tier.view(slot, GRANULE_BYTES);
  const before = Buffer.from(memory);
  const textBytes = memory.readUInt32LE(GRANULE_BYTES - 8);
  const first = GRANULE_BYTES - 8 - textBytes;
  expect(first, 'it is behind the bytes of the object').toBeGreaterThanOrEqual(100);
  for (let at = first; at < GRANULE_BYTES - 4; at++) {
    memory.writeUInt8((memory[at] ?? 0) ^ 0x10, at);
    expect(entries.get(key('k').text), `byte ${at}`).toBeUndefined();
    expect(entries.take(key('k').text)).toBeUndefined();
    before.copy(memory);
  }
  expect(entries.get(key('k').text)?.heldBytes).toBe(100);
  memory.fill(0, first, GRANULE_BYTES - 8);
  expect([[...entries], [...entries.names()]]).toEqual([[], [undefined]]);
  add('k', held('k', 200, 2));
  expect(entries.get(key('k').text)?.heldBytes).toBe(200);
  for (let index = 0; tier.usage.evictions < 1_000; index++) add(`k${index}`, held(`k${index}`, 100));
  expect(entries.size).toBe(tier.usage.slots);
});

it('what nothing was learned of while it was unpacked is packed again without being written', () => {
  add('k', held('k', 100));
  const packed = entries.take(key('k').text);
  const [slot = -1] = packed?.slots ?? [];
  const entry = packed?.revive(key('k'), create);
  const memory = tier.view(slot, GRANULE_BYTES);
  const before = Buffer.from(memory);
  memory.fill(0, 100, GRANULE_BYTES - 8);
  if (entry) entries.add(entry);
  expect(memory.subarray(100, GRANULE_BYTES - 8)).toEqual(Buffer.alloc(GRANULE_BYTES - 8 - 100));
  before.copy(memory);
  expect([entries.size, revive('k')?.blockAt(0)?.bytes(0, 100)]).toEqual([1, Buffer.alloc(100, 1)]);
});

it('what was packed again without being written is evicted as it was before', () => {
  for (let index = 0; tier.usage.evictions < 200; index++) {
    add(`k${index}`, held(`k${index}`, 100 + (index % 700)));
    const entry = entries.take(key(`k${index}`).text)?.revive(key(`k${index}`), create);
    if (entry) entries.add(entry);
  }
  expect(entries.size).toBe(tier.usage.slots);
  expect([...entries]).toHaveLength(tier.usage.slots);
});

it.each([
  ['of its content', pageBytes + 100, pageBytes],
  ['of another content', 100, 0],
])('what has got a block %s since it was unpacked keeps both', (_what, sizeBytes, start) => {
  const of = (entityTag: string) =>
    create({ objectKey: key('k').text, versionId: undefined, entityTag, sizeBytes });
  const fill = (content: Generation | undefined, from: number, length: number) => {
    content?.openBlock(from);
    content?.write(from, Buffer.alloc(length, 1));
    content?.closeBlock(from);
  };
  const contents = start > 0 ? [of('"1"')] : [of('"1"'), of('"2"')];
  fill(contents[0], start, 100);
  const records = new Map(contents.map((content, number) => [`${number}`, recordOf(content)]));
  entries.add({ objectKey: key('k'), records, barrier: 0 });
  const packed = entries.take(key('k').text);
  expect(packed, 'it lies beside its only block').not.toBeInstanceOf(LooseEntry);
  const revived: Generation[] = [];
  const entry = packed?.revive(key('k'), identity => {
    const content = create(identity);
    revived.push(content);
    return content;
  });
  const lengthBytes = Math.min(sizeBytes, pageBytes);
  fill(revived.at(-1), 0, lengthBytes);
  if (entry) entries.add(entry);
  expect(entries.get(key('k').text)?.heldBytes).toBe(100 + lengthBytes);
});

it('nothing is written within a block, filled or not: others may still read what it has dropped', () => {
  const sizeBytes = 5_100;
  const content = create({ objectKey: key('k').text, versionId: undefined, entityTag: '"k"', sizeBytes });
  content.openBlock(4_000);
  content.write(4_000, Buffer.alloc(1_100, 7));
  content.closeBlock(4_000);
  const block = content.blockAt(0);
  const dropped = tier.view(block?.slot ?? -1, sizeBytes).subarray(4_000);
  content.openBlock(0);
  content.write(0, Buffer.alloc(2_000, 8));
  content.closeBlock(0);
  expect(block?.valid).toEqual({ start: 0, end: 2_000 });
  add('k', content);
  expect(entries.get(key('k').text)).toBeInstanceOf(LooseEntry);
  expect(dropped).toEqual(Buffer.alloc(1_100, 7));
});

it('law 2: no text is written within its block, however long it is', () => {
  for (let length = 0; length < 1_000; length++) {
    const content = held('k', 100, 7);
    const slot = content.onlyBlock?.slot ?? Number.NaN;
    add('k', content, ['v'.repeat(length)]);
    expect(
      tier.view(slot, 100).every(byte => byte === 7),
      `a name of ${length}`,
    ).toBe(true);
    entries.drop(key('k').text);
  }
});

it('what has no bytes is packed on the heap where another worker looks at the slot that it would have', () => {
  const memory = allocateSharedMemory(2 * 8 * pageBytes, pageBytes, 2);
  tier = new MemoryTier(memory, 0);
  entries = new PackedEntries(tier);
  add('before', empty('before'));
  const pins = new Int32Array(memory.pins[1] ?? new SharedArrayBuffer(0));
  // it found the slot in the index, which is a hint, and has pinned it before it looks whether something is told there
  pins.fill(1);
  add('k', empty('k'));
  pins.fill(0);
  expect(entries.get(key('k').text)).toBeInstanceOf(LooseEntry);
  expect([entries.size, tier.packed.size]).toEqual([2, 1]);
});

it('what needs more room than it has is packed on the heap, and from then on others get as much', () => {
  const names = Array.from({ length: 3 }, (_, index) => `variant ${index}`.padEnd(100));
  const isLoose = (name: string) => entries.get(key(name).text) instanceof LooseEntry;
  add('k', held('k', 100), names);
  expect([isLoose('k'), entries.size]).toEqual([true, 1]);
  expect(entries.costBytes).toBeGreaterThan(0);
  add('l', held('l', 100), names);
  expect([isLoose('l'), entries.size]).toEqual([false, 2]);
  for (let index = 0; index < 200; index++) add(`k${index}`, held(`k${index}`, 100));
  const { usedBytes } = tier.usage;
  held('m', 100);
  expect(tier.usage.usedBytes - usedBytes, 'until they need less').toBe(GRANULE_BYTES);
});

it('of what has no bytes nothing is learned about the room beside those that have', () => {
  const names = Array.from({ length: 3 }, (_, index) => `variant ${index}`.padEnd(100));
  add('k', empty('k'), names);
  const { usedBytes } = tier.usage;
  held('l', 100);
  expect(tier.usage.usedBytes - usedBytes).toBe(GRANULE_BYTES);
});

it('no room is left beside blocks of which an even number fits a page', () => {
  const sizeBytes = pageBytes / 8;
  for (let index = 0; index < 64; index++) add(`k${index}`, held(`k${index}`, sizeBytes));
  expect([tier.usage.evictions, tier.usage.slots]).toEqual([0, 64]);
});

it('law 8: no more than 768 bytes are left beside blocks, however long texts are', () => {
  const records: Entry['records'] = new Map([['long'.padEnd(5_000), recordOf(held('k', 100))]]);
  entries.add({ objectKey: key('k'), records, barrier: 0 });
  const { usedBytes } = tier.usage;
  held('l', 100);
  expect(tier.usage.usedBytes - usedBytes).toBe(2 * GRANULE_BYTES);
});

it('no room is left beside what is not all of its content', () => {
  const sizeBytes = pageBytes + 200;
  const content = create({ objectKey: key('k').text, versionId: undefined, entityTag: '"k"', sizeBytes });
  content.openBlock(pageBytes);
  expect(tier.usage.usedBytes).toBe(GRANULE_BYTES);
});

it('laws 2, 5: who takes the place of a worker that died finds nothing of what that had packed', () => {
  const memory = allocateSharedMemory(8 * pageBytes, pageBytes, 1, { blocks: 'checked' });
  tier = new MemoryTier(memory, 0);
  entries = new PackedEntries(tier);
  add('k', held('k', 100, 1));
  releaseWorker(memory, 0);
  tier = new MemoryTier(memory, 0);
  entries = new PackedEntries(tier);
  held('l', 100, 2);
  expect([entries.get(key('k').text), entries.take(key('k').text)]).toEqual([undefined, undefined]);
});
