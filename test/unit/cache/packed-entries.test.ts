import { expect, it } from 'vitest';
import { EntryTable } from '../../../src/cache/entry-table.ts';
import { Generation } from '../../../src/cache/generation.ts';
import type { AskedFor, GenerationIdentity } from '../../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../../src/cache/object-key.ts';
import { PackedEntries } from '../../../src/cache/packed-entries.ts';
import { PackedEntry } from '../../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';

const pageBytes = 65_536;
const blockBytes = 4_096;
const key = (name: string) => testKey('main', 'b', name);
const unused = (): never => {
  throw new Error('nothing is read here');
};

/** A table with room for about a dozen entries that are not packed, and an arena of eight pages, unless more are asked for. */
class Cache {
  readonly tier: MemoryTier;
  readonly table: EntryTable;

  constructor(maxBytes = 40_000, mostUnpackedBytes = maxBytes, pages = 8) {
    const memory = allocateSharedMemory(pages * pageBytes, pageBytes, 1, { blocks: 'checked' });
    this.tier = new MemoryTier(memory, 0);
    this.table = new EntryTable(maxBytes, this.tier, new PurgeBarriers(memory), mostUnpackedBytes);
  }

  create(identity: GenerationIdentity, bytes: number, asked?: AskedFor): Generation {
    const grew = () => this.table.grew({ text: identity.objectKey } as ObjectKey);
    return new Generation(identity, bytes, this.tier, { asked, open: unused, lend: unused }, grew);
  }

  content(name: string, sizeBytes: number, asked?: AskedFor): Generation {
    const identity = { objectKey: key(name).text, versionId: undefined, entityTag: `"${name}"`, sizeBytes };
    return this.create({ ...identity, contentEncoding: 'gzip' }, blockBytes, asked);
  }

  /** An object whose bytes are all held, each of them `fill`, and were read once. */
  put(name: string, sizeBytes = 100, fill = name.length, asked?: AskedFor): Generation {
    const content = this.content(name, sizeBytes, asked);
    this.table.put(key(name), '', recordOf(content));
    this.#fill(content, fill);
    return content;
  }

  #fill(content: Generation, fill: number): void {
    for (let from = 0; from < content.sizeBytes; from += blockBytes) {
      const to = content.blockEnd(from);
      content.openBlock(from);
      content.write(from, Buffer.alloc(to - from, fill));
      content.closeBlock(from);
      const block = content.blockAt(from);
      if (block) content.visit(block);
    }
  }

  /** Two contents whose bytes are all held: whose object is packed on the heap. */
  twoOf(name: string, sizeBytes = 100): [Generation, Generation] {
    const two: [Generation, Generation] = [
      this.content(name, sizeBytes),
      this.content(name, Math.ceil(sizeBytes / 2)),
    ];
    for (const content of two) this.#fill(content, 1);
    return two;
  }

  putTwo(name: string, sizeBytes = 100): void {
    this.twoOf(name, sizeBytes).forEach((content, index) => {
      this.table.put(key(name), index === 0 ? '' : 'other', recordOf(content));
    });
  }

  /** Reads all that is held of an object. */
  read(name: string): void {
    const entry = this.table.get(key(name)) ?? this.revive(name);
    const content = entry && contentOf(entry);
    for (let from = 0; content && from < content.sizeBytes; from += blockBytes) {
      const block = content.blockAt(from);
      if (block) content.visit(block);
    }
  }

  /** So many objects, used after all others. */
  putOthers(count: number): void {
    for (let index = 0; index < count; index++) this.put(`other ${index}`);
  }

  isPacked(name: string): boolean {
    return this.table.known(key(name)) instanceof PackedEntry;
  }

  revive(name: string, revived: AskedFor[] = []) {
    return this.table.revive(key(name), (identity, bytes, asked) => {
      if (asked) revived.push(asked);
      return this.create(identity, bytes, asked);
    });
  }
}

function contentOf(entry: ReturnType<EntryTable['get']>, name = ''): Generation {
  const record = entry?.records.get(name);
  if (record?.kind !== 'readable' || !(record.content instanceof Generation)) throw new Error('no content');
  return record.content;
}

it('what was not used lately is packed, and comes back with its records, parts and bytes', () => {
  const cache = new Cache();
  const before = cache.put('k', 10_000, 9);
  const checksums = [{ name: 'checksum-crc32', value: 'AAAA', store: true }];
  before.parts.learn(3, { first: 0, last: 99, checksums }, 5);
  expect(cache.isPacked('k')).toBe(false);
  cache.putOthers(30);
  expect(cache.isPacked('k')).toBe(true);
  expect(cache.table.get(key('k')), 'it has to be revived').toBeUndefined();
  expect(cache.table.known(key('k'))).toMatchObject({ text: key('k').text, heldBytes: 10_000 });
  const slots = cache.tier.usage.slots;
  const after = contentOf(cache.revive('k'));
  expect(after).not.toBe(before);
  expect(after.identity).toEqual(before.identity);
  expect([after.coverage(0, 10_000), after.heldBytes]).toEqual(['all', 10_000]);
  expect(after.blockAt(9_000)?.bytes(0, 1_808)).toEqual(Buffer.alloc(1_808, 9));
  expect([after.parts.get(3), after.parts.count]).toEqual([{ first: 0, last: 99, checksums }, 5]);
  expect(cache.tier.usage.slots).toBe(slots);
  expect([cache.isPacked('k'), cache.revive('k')]).toEqual([false, undefined]);
  expect([before.isRetired, before.heldBlocks, before.coverage(0, 10)]).toEqual([true, 0, 'none']);
});

it('what its bytes are asked for with comes back too', () => {
  const cache = new Cache();
  const asked = { versionId: 'v1', requestPayer: 'requester' };
  const paid = { versionId: undefined, requestPayer: 'requester' };
  cache.put('k', 100, 1, asked);
  cache.put('paid', 100, 1, paid);
  cache.put('plain', 100, 1, { versionId: undefined, requestPayer: undefined });
  cache.putOthers(30);
  const revived: AskedFor[] = [];
  for (const name of ['k', 'paid', 'plain']) cache.revive(name, revived);
  expect(revived).toEqual([asked, paid]);
});

it('records that share a content share it again, and others have their own', () => {
  const cache = new Cache();
  const one = cache.put('k', 100, 1);
  const identity = { ...one.identity, entityTag: '"other"' };
  const other = cache.create(identity, blockBytes);
  cache.table.put(key('k'), 'v1', recordOf(one));
  cache.table.put(key('k'), 'v2', recordOf(other));
  cache.putOthers(30);
  const entry = cache.revive('k');
  expect(contentOf(entry, 'v1')).toBe(contentOf(entry));
  expect(contentOf(entry, 'v1').heldBytes).toBe(100);
  expect(contentOf(entry, 'v2').identity.entityTag).toBe('"other"');
  expect(contentOf(entry, 'v2').heldBytes).toBe(0);
});

it('what is read or filled is not packed', () => {
  const cache = new Cache();
  const read = cache.put('read');
  read.enter();
  const filled = cache.content('filled', 200);
  cache.table.put(key('filled'), '', recordOf(filled));
  filled.openBlock(0);
  cache.putOthers(30);
  expect([cache.isPacked('read'), cache.isPacked('filled')]).toEqual([false, false]);
  expect(contentOf(cache.table.peek(key('read')))).toBe(read);
  read.leave();
  filled.closeBlock(0);
  cache.putOthers(30);
  expect([cache.isPacked('read'), cache.isPacked('filled')]).toEqual([true, true]);
});

it('a block that is evicted is missing when its object comes back', () => {
  const cache = new Cache(1_000_000, 40_000);
  cache.put('k', 2 * blockBytes);
  for (let index = 0; index < 400; index++) cache.put(`other ${index}`, blockBytes);
  expect(cache.isPacked('k')).toBe(true);
  const known = cache.table.known(key('k'));
  expect(known?.heldBytes).toBe(0);
  expect(contentOf(cache.revive('k')).coverage(0, 2 * blockBytes)).toBe('none');
});

it('law 8: packed entries count, and the records of what has lost its bytes go first', () => {
  const cache = new Cache(40_000);
  // what is longer than a sixteenth of a page has no slot for itself
  const putBare = (name: string) =>
    cache.table.put(key(name), 'v'.repeat(pageBytes / 16), recordOf(cache.content(name, 100)));
  putBare('bare');
  for (let index = 0; index < 30; index++) {
    cache.putTwo(`k${index}`);
    expect(cache.table.costBytes).toBeLessThanOrEqual(40_000);
  }
  expect(cache.isPacked('bare')).toBe(true);
  let index = 30;
  for (; cache.table.known(key('bare')); index++) {
    cache.putTwo(`k${index}`);
    expect(cache.table.costBytes).toBeLessThanOrEqual(40_000);
    expect(index, 'it goes at last').toBeLessThan(1_000);
  }
  for (index = 0; index < 500; index++) putBare(`bare ${index}`);
  const bare = [...cache.table].filter(({ heldBytes }) => heldBytes === 0);
  expect(bare.length).toBeGreaterThan(0);
  expect(bare.length / cache.table.size, 'those that were packed last').toBeLessThan(0.4);
  expect(cache.table.costBytes).toBeLessThanOrEqual(40_000);
});

it('law 8: where records run out, those go whose bytes were read least', () => {
  const cache = new Cache(40_000);
  cache.putTwo('hot');
  for (let index = 0; index < 500; index++) {
    if (index % 20 === 0) {
      const entry = cache.table.get(key('hot')) ?? cache.revive('hot');
      const block = contentOf(entry).blockAt(0);
      if (block) contentOf(entry).visit(block);
    }
    cache.putTwo(`k${index}`);
  }
  expect(cache.table.known(key('hot'))?.heldBytes).toBe(150);
});

it.each([
  { hot: { count: 7, sizeBytes: 60_000, nameLength: 1 }, other: { nameLength: 900, times: 1 } },
  { hot: { count: 1, sizeBytes: 420_000, nameLength: 1 }, other: { nameLength: 900, times: 1 } },
  { hot: { count: 220, sizeBytes: 1, nameLength: 1 }, other: { nameLength: 2_000, times: 1 } },
  { hot: { count: 4, sizeBytes: 60_000, nameLength: 1 }, other: { nameLength: 1, times: 3 } },
  { hot: { count: 10, sizeBytes: 10_000, nameLength: 900 }, other: { nameLength: 1, times: 1 } },
])(
  'law 8: where records run out, what is read again stays beside tiny objects without number: $hot, $other',
  ({ hot, other }) => {
    const cache = new Cache(200_000);
    const names = Array.from({ length: hot.count }, (_, index) => `hot ${index}`.padEnd(hot.nameLength, 'h'));
    for (const name of names) cache.put(name, hot.sizeBytes);
    for (let index = 0; index < 1_500; index++) {
      if (index % 40 === 0) for (const name of names) cache.read(name);
      const name = `tiny ${index}`.padEnd(other.nameLength, 't');
      cache.putTwo(name, 1);
      for (let times = 1; times < other.times; times++) cache.read(name);
    }
    const heldBytes = names.map(name => cache.table.known(key(name))?.heldBytes);
    expect(heldBytes).toEqual(names.map(() => hot.sizeBytes));
  },
);

it('what is new has time to be read again, however much was read again before', () => {
  const cache = new Cache(200_000);
  for (let index = 0; index < 500; index++) {
    cache.put(`old ${index}`);
    cache.read(`old ${index}`);
  }
  const missing: number[] = [];
  for (let index = 0; index < 300; index++) {
    cache.put(`new ${index}`);
    if (index < 40) continue;
    if (cache.table.known(key(`new ${index - 40}`))?.heldBytes !== 100) missing.push(index - 40);
  }
  expect(missing).toEqual([]);
});

it('what another worker reads of a packed object counts, and so does that it is reading', () => {
  const cache = new Cache();
  const slots = ['read', 'held'].map(name => cache.put(name).blockAt(0)?.slot ?? Number.NaN);
  const [read = 0, held = 0] = slots;
  cache.tier.pins.acquire(held, cache.tier.pins.tag(held));
  for (let index = 0; index < 2_000; index++) {
    if (index % 20 === 0) cache.tier.pins.visit(read);
    cache.put(`k${index}`);
  }
  expect(cache.isPacked('read')).toBe(true);
  const heldBytes = ['read', 'held', 'k0'].map(name => cache.table.known(key(name))?.heldBytes ?? 0);
  expect(heldBytes).toEqual([100, 100, 0]);
});

it('what was found to be read again when blocks were looked at stays also where records run out', () => {
  const cache = new Cache();
  const slot = cache.put('k').blockAt(0)?.slot ?? Number.NaN;
  cache.putOthers(25);
  expect(cache.isPacked('k')).toBe(true);
  cache.tier.pins.visit(slot);
  expect(cache.tier.spares(slot)).toBe(true);
  expect(cache.tier.pins.visits(slot)).toBe(0);
  cache.putOthers(500);
  expect(cache.table.known(key('k'))?.heldBytes).toBe(100);
});

it('a packed object is dropped with its blocks, and so it is when it is learned anew', () => {
  const cache = new Cache();
  cache.put('k');
  cache.put('l');
  cache.putOthers(30);
  const { slots } = cache.tier.usage;
  cache.table.drop(key('k').text);
  expect([cache.table.known(key('k')), cache.tier.usage.slots]).toEqual([undefined, slots - 1]);
  cache.table.put(key('l'), '', recordOf(cache.content('l', 100)));
  expect(cache.table.known(key('l'))?.heldBytes).toBe(0);
  expect(cache.tier.usage.slots).toBe(slots - 2);
  expect([...cache.table].map(({ text }) => text)).toHaveLength(cache.table.size);
});

it('records without bytes, however many, cost others none of theirs', () => {
  const cache = new Cache(40_000);
  cache.put('k');
  for (let index = 0; index < 500; index++)
    cache.table.put(key(`bare ${index}`), '', recordOf(cache.content(`bare ${index}`, 100)));
  expect(cache.table.known(key('k'))?.heldBytes).toBe(100);
});

it('nothing is packed while there is room for all as they are', () => {
  const cache = new Cache(1_000_000);
  cache.put('k');
  cache.putOthers(200);
  expect(cache.table.costBytes).toBeGreaterThan(250_000);
  expect([...cache.table].filter(known => known instanceof PackedEntry)).toEqual([]);
});

it('a walk over the names meets each entry that stays, though others make room meanwhile', () => {
  const cache = new Cache();
  const { tier } = cache;
  const [reading, readAgain] = [new Set<number>(), new Set<number>()];
  const packed = new PackedEntries({
    entrust: tier.entrust.bind(tier),
    packed: tier.packed,
    free: () => undefined,
    giveUp: () => undefined,
    isReadAgain: slot => readAgain.has(slot),
    // as for what is pinned: it counts as new, and has no chance left
    spares: slot => reading.has(slot) && (readAgain.delete(slot) || true),
  });
  const addTwo = (name: string, isReadAgain: boolean, isReading: boolean) => {
    const contents = cache.twoOf(name);
    const slot = contents[0].blockAt(0)?.slot ?? Number.NaN;
    if (isReadAgain) readAgain.add(slot);
    if (isReading) reading.add(slot);
    const records = new Map(contents.map((content, index) => [`${index}`, recordOf(content)]));
    packed.add({ objectKey: key(name), records, barrier: 0 });
  };
  for (let index = 0; index < 100; index++) addTwo(`main ${index}`, true, index < 60);
  addTwo('small', false, false);
  const names = packed.names();
  const seen = new Set(Array.from({ length: 6 }, () => names.next().value));
  packed.limit(packed.costBytes - 1);
  for (const name of names) seen.add(name);
  expect([...packed].map(({ text }) => text).filter(text => !seen.has(text))).toEqual([]);
  expect(packed.size).toBe(100);
});

it('no more is kept unpacked than is allowed at most, except for what is in use', () => {
  const cache = new Cache(1_000_000, 100_000);
  const unpackedBytes = () => cache.table.costBytes;
  cache.putOthers(200);
  expect(unpackedBytes()).toBeLessThanOrEqual(100_000);
  expect(cache.table.size).toBe(200);
  const many = Array.from({ length: 60 }, (_, index) => {
    const content = cache.put(`held ${index}`);
    content.enter();
    return content;
  });
  expect(many.map((_, index) => cache.isPacked(`held ${index}`))).not.toContain(true);
  expect([cache.table.size, many.filter(({ isRetired }) => isRetired)]).toEqual([260, []]);
  expect(unpackedBytes()).toBeGreaterThan(100_000);
  for (const content of many) content.leave();
  cache.putOthers(200);
  expect(unpackedBytes()).toBeLessThanOrEqual(100_000);
});

it('an object with many variants comes back with those that were used last, and the contents of the others are given up', () => {
  const cache = new Cache(400_000, 200_000);
  const [shared, alone] = cache.twoOf('k');
  const put = (name: string, content: Generation) => cache.table.put(key('k'), name, recordOf(content));
  const usedLast = ['', 'one', 'two', 'three'];
  for (const name of usedLast.toReversed()) put(name, shared);
  put('made up first', alone);
  for (let index = 0; index < 58; index++) put(`${index}`.padStart(500, '0'), shared);
  expect(alone.isRetired).toBe(false);
  const slots = cache.tier.usage.slots;
  for (let index = 0; !cache.isPacked('k'); index++)
    cache.table.put(key(`other ${index}`), '', recordOf(cache.content('o', 1)));
  expect([alone.isRetired, slots - cache.tier.usage.slots]).toEqual([true, 1]);
  const revived = cache.revive('k');
  const names = [...(revived?.records.keys() ?? [])];
  expect(names.slice(-5)).toEqual(['57'.padStart(500, '0'), ...usedLast]);
  expect(names.length).toBeLessThan(20);
  expect(contentOf(revived).coverage(0, 100)).toBe('all');
});

it.each([1, 3, 15, 16])(
  'what is put keeps its content and its other records where nearly all is of %i in use',
  count => {
    const maxBytes = 100_000;
    const cache = new Cache(maxBytes);
    for (let index = 0; index < count; index++) {
      const name = `used ${index}`;
      const content = cache.put(name);
      content.enter();
      const leftBytes = Math.floor((maxBytes * (index + 1)) / count) - 100 - cache.table.costBytes;
      // a character costs two bytes
      const field = { name: '', value: 'v'.repeat(leftBytes / 2 - 64), store: true };
      cache.table.put(key(name), '', { ...recordOf(content), fields: [field] });
    }
    expect(cache.table.costBytes).toBeGreaterThan(0.98 * maxBytes);
    const content = cache.put('k');
    cache.table.put(key('k'), 'other', recordOf(content));
    expect([cache.isPacked('k'), content.isRetired, content.heldBytes]).toEqual([false, false, 100]);
    expect(cache.table.get(key('k'))?.records.size).toBe(2);
    expect(cache.table.costBytes).toBeLessThanOrEqual(maxBytes);
  },
);

/** A table with room for some three hundred that are not packed; `names` are packed, and all others were used again. */
function withPacked(names: readonly string[]): Cache {
  const cache = new Cache(4_000_000, 1_000_000, 64);
  for (const name of names) cache.put(name);
  for (let index = 0; index < 700; index++) {
    cache.put(`rest ${index}`);
    cache.read(`rest ${index}`);
  }
  for (const name of names) expect(cache.isPacked(name), name).toBe(true);
  return cache;
}

it('where all that is known may be in use, what was not used again goes first as well', () => {
  // as `cache.memory.size` of 512 MiB and less has it
  const maxBytes = 1_000_000;
  const cache = new Cache(maxBytes, maxBytes, 64);
  const used = named(200);
  for (const name of used) cache.put(name);
  for (const name of used) cache.read(name);
  for (let index = 0; index < 2_000; index++) cache.put(`rest ${index}`);
  // one of thirty-two takes the place of one
  expect(used.filter(name => cache.isPacked(name)).length).toBeLessThanOrEqual(2_000 / 32);
  expect(cache.table.costBytes).toBeLessThanOrEqual(maxBytes);
});

it('what was used a lot once gives way in the end to what comes again after many others only', () => {
  const cache = new Cache(1_000_000, 500_000, 64);
  const [once, now] = [named(150), Array.from({ length: 150 }, (_, index) => `now ${index}`)];
  for (const name of [...once, ...now]) cache.put(name);
  for (const name of [...once, ...once]) cache.read(name);
  for (let round = 0; round < 60; round++) for (const name of now) cache.read(name);
  expect(once.filter(name => cache.isPacked(name)).length).toBeGreaterThan(100);
  expect(now.filter(name => !cache.isPacked(name)).length).toBeGreaterThan(100);
});

const named = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);

it('what is learned and not used again is packed after some dozens of others, and displaces nothing that was used again', () => {
  const cache = withPacked([]);
  const unpacked = (some: readonly string[]) => some.filter(name => !cache.isPacked(name)).length;
  const used = Array.from({ length: 700 }, (_, index) => `rest ${index}`).filter(
    name => !cache.isPacked(name),
  );
  const names = named(2_000);
  for (const name of names) cache.put(name);
  expect(used.length).toBeGreaterThan(250);
  expect(unpacked(used)).toBeGreaterThanOrEqual(used.length - 70 - 2_000 / 32);
  expect(unpacked(names)).toBeLessThanOrEqual(70 + 2_000 / 32);
});

it('what is unpacked for one use is packed again after some dozens of others, and displaces nothing that is used more', () => {
  const names = named(400);
  const cache = withPacked(names);
  const unpacked = (some: readonly string[]) => some.filter(name => !cache.isPacked(name)).length;
  const used = Array.from({ length: 700 }, (_, index) => `rest ${index}`).filter(
    name => !cache.isPacked(name),
  );
  const [once, again, ...others] = names;
  for (const name of [once, again, again]) cache.read(name ?? '');
  for (const name of others) cache.read(name);
  expect([cache.isPacked('k0'), cache.isPacked('k1')]).toEqual([true, false]);
  expect(unpacked(others)).toBeLessThanOrEqual(64 + 400 / 32);
  expect(unpacked(others)).toBeGreaterThan(50);
  expect(used.length).toBeGreaterThan(300);
  expect(unpacked(used)).toBeGreaterThanOrEqual(used.length - 64 - 400 / 32);
});
