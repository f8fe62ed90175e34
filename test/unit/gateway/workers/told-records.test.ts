import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EntryTable } from '../../../../src/cache/entry-table.ts';
import { Epochs } from '../../../../src/cache/epochs.ts';
import { type ContentAccess, Generation } from '../../../../src/cache/generation.ts';
import type { AskedFor } from '../../../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { PackedEntries } from '../../../../src/cache/packed-entries.ts';
import { PurgeBarriers } from '../../../../src/cache/purge-barriers.ts';
import type { ObjectRecord } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../../src/cache/slot-pins.ts';
import { SlotLender } from '../../../../src/gateway/fill/slot-lender.ts';
import type { ObjectSource } from '../../../../src/gateway/read/object-source.ts';
import type { PeerLink } from '../../../../src/gateway/workers/peer-link.ts';
import { RemoteContent } from '../../../../src/gateway/workers/remote-content.ts';
import { RemoteObjects } from '../../../../src/gateway/workers/remote-objects.ts';
import { testKey } from '../../../support/object-keys.ts';
import { readOf } from '../../../support/object-reads.ts';
import { recordFields, recordOf } from '../../../support/records.ts';

const pageBytes = 65_536;
const read = readOf('k');
const { objectKey } = read;
const unused = (): never => {
  throw new Error('nobody is asked');
};

let tier: MemoryTier;
let barriers: PurgeBarriers;
let table: EntryTable;
let remote: RemoteObjects;
/** What the owner answers to the next questions. */
let answers: Promise<unknown>[];

beforeEach(() => {
  const memory = allocateSharedMemory(0, pageBytes, 2);
  const near = new MemoryTier(memory, 0);
  barriers = new PurgeBarriers(memory);
  tier = new MemoryTier(memory, 1);
  table = new EntryTable(400_000, tier, barriers);
  answers = [];
  const link = { call: () => answers.shift() ?? unused(), notify: () => undefined } as unknown as PeerLink;
  remote = new RemoteObjects(
    { link, pins: near.pins, lender: new SlotLender(near, 4) },
    near.textsOf(1),
    { find: unused, invalidate: unused, refusedByStore: unused } as unknown as ObjectSource,
    { epochs: new Epochs(memory), barriers },
    100_000,
  );
});

/** A content with these bytes from `from` on, and whatever else of `sizeBytes` missing. */
function holding(bytes: string, from = 0, sizeBytes = from + bytes.length, asked?: AskedFor): Generation {
  const identity = { objectKey: objectKey.text, versionId: undefined, entityTag: '"k"', sizeBytes };
  const reading = { open: unused, lend: unused, asked, filled: () => table.tell(objectKey) };
  const content = new Generation({ ...identity, contentEncoding: undefined }, pageBytes, tier, reading);
  table.put(objectKey, '', recordOf(content));
  content.openBlock(from);
  content.write(from, Buffer.from(bytes));
  content.closeBlock(from);
  return content;
}

function found(name = ''): RemoteContent | undefined {
  const record = remote.recordNamed(read, name);
  return record?.kind === 'readable' && record.content instanceof RemoteContent ? record.content : undefined;
}

it('law 5: what was purged is not known, though its owner tells it still', () => {
  holding('abc');
  barriers.raise({ kind: 'key', objectKey }, 'hard', 0);
  expect(remote.recordNamed(read, '')).toBeUndefined();
});

it('what was purged softly is stale for as long as it is told', () => {
  const content = holding('abc');
  expect(remote.recordNamed(read, '')).toMatchObject({ staleFromMs: undefined });
  barriers.raise({ kind: 'key', objectKey }, 'soft', 7);
  for (let look = 0; look < 2; look++)
    expect(remote.recordNamed(read, '')).toMatchObject({ staleFromMs: expect.any(Number) });
  content.untell();
  expect(remote.recordNamed(read, '')).toBeUndefined();
});

/** A content of four blocks of which nothing is held, or so many bytes. */
function without(entityTag: string, sizeBytes = 4 * pageBytes, asked?: AskedFor): Generation {
  const identity = { objectKey: objectKey.text, versionId: undefined, entityTag, sizeBytes };
  const reading: ContentAccess = { open: unused, lend: unused, asked: undefined, askAs: () => undefined };
  return new Generation(identity, pageBytes, tier, { ...reading, ...(asked && { asked }) });
}

function refused(status: number): ObjectRecord {
  const { kind: _kind, isNegative: _not, ...fields } = recordFields(0);
  return { ...fields, kind: 'refused', isNegative: true, status, body: Buffer.from('<Error/>') };
}

const found200 = (): ObjectRecord => recordOf(without('"large"'));

it.each<[string, (() => ObjectRecord)[]]>([
  ['a large object', [found200, found200, () => ({ ...found200(), staleFromMs: 7 })]],
  ['an object that comes and goes', [() => refused(404), found200, () => refused(404), () => refused(403)]],
  ['an empty object', [() => recordOf(without('"none"', 0)), () => refused(404)]],
  ['heads', [found200, () => ({ ...found200(), isUsableForGet: false }), found200]],
])(
  'laws 5, 6: %s that another worker has asked for is told again whenever it is learned anew',
  (_what, all) => {
    for (const [index, make] of all.entries()) {
      const record = make();
      table.put(objectKey, '', record);
      if (index === 0) {
        expect(remote.recordNamed(read, ''), 'nobody has asked').toBeUndefined();
        table.tell(objectKey, true);
      }
      const { kind, isUsableForGet, staleFromMs } = record;
      const told = remote.recordNamed(read, '');
      expect(told).toMatchObject({ kind, isUsableForGet, ...(staleFromMs && { staleFromMs }) });
      if (record.kind === 'refused') expect(told).toMatchObject({ status: record.status, body: record.body });
      else if (record.kind === 'readable' && record.content instanceof Generation)
        expect(found()?.contentId).toBe(record.content.contentId);
    }
    table.drop(objectKey.text);
    expect(remote.recordNamed(read, '')).toBeUndefined();
    expect(tier.usage.slots).toBe(0);
  },
);

it('of many variants some are told: that of whoever names nothing, and those that were used last', () => {
  const content = without('"large"');
  const names = ['', ...Array.from({ length: 59 }, (_, index) => `origin ${index}`)];
  for (const name of names) {
    table.put(objectKey, name, recordOf(content));
    table.tell(objectKey, true);
  }
  expect(table.peek(objectKey)?.records.size).toBe(names.length);
  const told = names.map(name => found(name) !== undefined);
  expect([told[0], told[20], told.at(-1)]).toEqual([true, false, true]);
  table.forget(objectKey, '');
  expect(found()).toBeUndefined();
  table.drop(objectKey.text);
  expect(tier.usage.slots).toBe(0);
});

it('the places of blocks are remembered when the object is confirmed, and what is told may be evicted', () => {
  const content = without('"large"');
  table.put(objectKey, '', recordOf(content));
  table.tell(objectKey, true);
  content.openBlock(pageBytes);
  content.write(pageBytes, Buffer.from('abc'));
  content.closeBlock(pageBytes);
  const slot = content.blockAt(pageBytes)?.slot ?? Number.NaN;
  const place = { slot, tag: tier.pins.tag(slot), blockStart: pageBytes };
  const told = found();
  told?.place({ ...place, from: pageBytes, to: pageBytes + 3 });
  table.put(objectKey, '', recordOf(content));
  expect(found('not told')).toBeUndefined();
  expect(found()).toBe(told);
  content.parts.learn(1, { first: 0, last: 7, checksums: [] }, 1);
  expect(found(), 'what is learned is not told yet').toBeUndefined();
  table.tell(objectKey, true);
  expect([found() === told, found()?.peekText(pageBytes, pageBytes + 3)]).toEqual([true, 'abc']);
  expect(found()?.parts.get(1)).toBeDefined();
});

it('a name that its owner has forgotten is not known, though the others are told again', () => {
  const content = holding('abc');
  table.put(objectKey, 'other', recordOf(content));
  expect([found('other'), found()]).not.toContain(undefined);
  table.forget(objectKey, 'other');
  expect(found('other')).toBeUndefined();
  expect(found()).toBeDefined();
});

it('of a block that holds some of its content that is read, and no more', () => {
  const content = holding('abc', 10, 100);
  const [told, slot] = [found(), content.onlyBlock?.slot ?? Number.NaN];
  expect(tier.pins.visits(slot), 'it counts when it is read').toBe(0);
  expect([told?.peekText(10, 13), told?.peekText(9, 13), told?.coverage(0, 100)]).toEqual([
    ...['abc', undefined],
    'some',
  ]);
  expect(tier.pins.visits(slot)).toBe(1);
});

it('a block that was packed alone is where it was within its content', () => {
  const content = holding('abc', pageBytes);
  const packed = new PackedEntries(tier);
  packed.add({ objectKey, records: new Map([['', recordOf(content)]]), barrier: 0 });
  const told = found();
  expect([told?.peekText(pageBytes, pageBytes + 3), told?.peekText(0, 3)]).toEqual(['abc', undefined]);
});

it('how it is asked for is told, too', () => {
  const asked = { versionId: 'v1', requestPayer: 'requester' };
  holding('abc', 0, 3, asked);
  expect(found()?.identity.asked).toEqual(asked);
  holding('abc');
  expect(found()?.identity.asked).toEqual({ versionId: undefined, requestPayer: undefined });
});

it('what is told alone and packed without blocks stays where it is told', () => {
  const packed = new PackedEntries(tier);
  const entry = { objectKey, records: new Map([['', refused(404)]]), barrier: 0 };
  packed.tell(entry, true);
  expect([packed.size, tier.usage.slots]).toEqual([0, 1]);
  packed.add(entry);
  expect([packed.size, tier.usage.slots]).toEqual([1, 1]);
  expect(remote.recordNamed(read, '')).toMatchObject({ status: 404 });
  expect(packed.take(objectKey.text)).toBeDefined();
  expect(tier.usage.slots).toBe(0);
});

it('what is told alone is given up once it is told behind its block', () => {
  const content = without('"short"', 3);
  table.put(objectKey, '', recordOf(content));
  table.tell(objectKey, true);
  expect([found() !== undefined, tier.usage.slots]).toEqual([true, 1]);
  content.openBlock(0);
  content.write(0, Buffer.from('abc'));
  content.closeBlock(0);
  table.tell(objectKey);
  expect([found()?.peekText(0, 3), tier.usage.slots]).toEqual(['abc', 1]);
});

it('law 8: however many objects are told alone, the oldest make room in their share', () => {
  const packed = new PackedEntries(tier);
  const keys = Array.from({ length: 1_000 }, (_, index) => testKey('main', 'b', `asked for ${index}`));
  for (const one of keys)
    packed.tell({ objectKey: one, records: new Map([['', refused(404)]]), barrier: 0 }, true);
  const told = keys.filter(one => tier.packed.isToldAlone(one.text));
  expect(told).toEqual(keys.slice(-told.length));
  expect(told.length).toBeGreaterThan(3);
  for (const one of told) packed.untell(one.text);
  expect(tier.usage.slots).toBe(0);
});

it('a large object is told until its bytes are asked for in another way', () => {
  const asked = { versionId: 'v1', requestPayer: undefined };
  const content = without('"large"', 4 * pageBytes, asked);
  table.put(objectKey, '', recordOf(content));
  table.tell(objectKey, true);
  content.askAs({ ...asked });
  expect(found()?.identity.asked).toEqual(asked);
  content.askAs({ ...asked, requestPayer: 'requester' });
  expect(found()).toBeUndefined();
});

it('law 8: what it costs is counted anew when more of it is known', () => {
  const content = holding('abc', 0, 100);
  const told = found();
  const { costBytes } = remote;
  const slot = content.onlyBlock?.slot ?? Number.NaN;
  told?.place({ slot, tag: tier.pins.tag(slot), blockStart: pageBytes, from: pageBytes, to: pageBytes + 1 });
  expect(remote.costBytes).toBeGreaterThan(costBytes);
});

it('a look-up of a name that is not told reads the text once, and leaves the contents as they are', () => {
  table.put(objectKey, '', found200());
  table.tell(objectKey, true);
  const told = found();
  const acquired = vi.spyOn(SlotPins.prototype, 'acquireTold');
  for (const name of ['one', 'other', 'one', '']) found(name);
  expect(acquired).not.toHaveBeenCalled();
  table.put(objectKey, '', refused(404));
  for (const name of ['one', 'other', '']) remote.recordNamed(read, name);
  expect(acquired).toHaveBeenCalledTimes(1);
  acquired.mockRestore();
  expect(told).toBeDefined();
});

it('law 8: a content costs once, under however many names it is told', () => {
  const content = without('"large"');
  table.put(objectKey, '', recordOf(content));
  table.tell(objectKey, true);
  const costBytes = found()?.costBytes ?? 0;
  const alone = remote.costBytes;
  table.put(objectKey, 'other', recordOf(content));
  found('other');
  expect(remote.costBytes - alone).toBeGreaterThan(0);
  expect(remote.costBytes - alone).toBeLessThan(costBytes + alone);
  expect(found()).toBe(found('other'));
});

const answer = { how: 'hit', forwarded: 'uri-miss', isCollapsed: false, isStored: true, isCharged: false };

it('law 6: what is void stays so when an earlier question is answered, and when the object is told anew', async () => {
  const content = without('"large"');
  for (const name of ['', 'other']) table.put(objectKey, name, recordOf(content));
  table.tell(objectKey, true);
  const record = remote.recordNamed(read, '');
  if (!record) throw new Error('it is told');
  const earlier = Promise.withResolvers();
  answers.push(earlier.promise, Promise.resolve({ ...answer, record: refused(404) }));
  const finding = remote.find({ ...read, recordName: '' });
  remote.refusedByStore(read, record, { status: 404, fields: [], body: Buffer.alloc(0) });
  expect([found(), found('other')]).toEqual([undefined, expect.any(RemoteContent)]);
  table.put(objectKey, 'other', recordOf(content));
  expect(found(), 'its owner may not know yet').toBeUndefined();
  earlier.resolve({ ...answer, record: refused(404) });
  await finding;
  expect(found(), 'the question was asked before').toBeUndefined();
  await remote.find(read);
  expect(found()).toBeInstanceOf(RemoteContent);
});

it('laws 5, 6: an answer under a name that is not told holds as long as what was told with it', async () => {
  table.put(objectKey, '', found200());
  table.tell(objectKey, true);
  const place = () => {
    const { slot, tag, mark } = tier.texts.getTold(objectKey.text) ?? {};
    return { slot, tag, mark };
  };
  const ask = async (name: string, told: unknown) => {
    answers.push(Promise.resolve({ ...answer, told, record: refused(404) }));
    await remote.find({ ...read, recordName: name });
    return remote.recordNamed(read, name)?.kind;
  };
  const before = place();
  expect(await ask('one', undefined), 'it was not told with it').toBeUndefined();
  expect(await ask('one', before)).toBe('refused');
  barriers.raise({ kind: 'key', objectKey: testKey('main', 'b', 'another') }, 'hard', 0);
  expect(remote.recordNamed(read, 'one')?.kind).toBe('refused');
  table.put(objectKey, 'other', found200());
  expect(remote.recordNamed(read, 'one')).toBeUndefined();
  expect(await ask('one', before), 'it was told before').toBeUndefined();
  expect(await ask('one', place())).toBe('refused');
  expect(await ask('', place()), 'what is told counts').toBe('readable');
  const { costBytes } = remote;
  await ask('two', place());
  expect(remote.costBytes).toBeGreaterThan(costBytes);
  barriers.raise({ kind: 'key', objectKey }, 'hard', 0);
  expect(remote.recordNamed(read, 'one')).toBeUndefined();
  expect(await ask('one', place()), 'it was purged before it came').toBeUndefined();
});

it('an answer is of one text behind a block, and not of the next one there', async () => {
  holding('abc');
  const ask = async (told: unknown) => {
    answers.push(Promise.resolve({ ...answer, told, record: refused(404) }));
    await remote.find({ ...read, recordName: 'one' });
    return remote.recordNamed(read, 'one')?.kind;
  };
  const before = tier.texts.getTold(objectKey.text);
  const content = table.peek(objectKey)?.records.get('');
  if (!before || !content) throw new Error('it is told');
  table.put(objectKey, '', { ...content, receivedMs: 7 });
  const now = tier.texts.getTold(objectKey.text);
  expect([now?.slot, now?.tag]).toEqual([before.slot, before.tag]);
  expect([await ask(before), await ask(now)]).toEqual([undefined, 'refused']);
});

it('purges are applied to what is told once each', () => {
  holding('abc');
  found();
  barriers.raise({ kind: 'key', objectKey: testKey('main', 'b', 'another') }, 'hard', 0);
  const applied = vi.spyOn(PurgeBarriers.prototype, 'appliedToAll');
  for (let look = 0; look < 3; look++) expect(found()).toBeDefined();
  expect(applied).toHaveBeenCalledTimes(1);
  applied.mockRestore();
});

describe('a content that is not told', () => {
  const wire = (contentId: number) => {
    const { kind: _kind, ...fields } = recordFields(3);
    const named = {
      entityTag: '"k"',
      versionId: undefined,
      sizeBytes: 3,
      blockBytes: pageBytes,
      asked: undefined,
    };
    const content = { contentId, identity: named, parts: [], partCount: undefined };
    return { ...answer, record: { ...fields, kind: 'readable', content } };
  };
  const contentOf = async (contentId: number) => {
    answers.push(Promise.resolve(wire(contentId)));
    const { record } = await remote.find(read);
    return record.kind === 'readable' ? record.content : undefined;
  };

  it('is the same in the next answer, for the places of its blocks', async () => {
    const first = await contentOf(7);
    expect(await contentOf(8)).not.toBe(first);
    expect(await contentOf(7)).toBe(first);
    expect(remote.recordNamed(read, '')).toBeUndefined();
  });

  it('law 8: is remembered beside a bounded number of others', async () => {
    for (let contentId = 1; contentId <= 64; contentId++) await contentOf(contentId);
    const { costBytes } = remote;
    for (let contentId = 65; contentId <= 100; contentId++) await contentOf(contentId);
    expect(remote.costBytes).toBe(costBytes);
  });
});

it('law 8: of one object a bounded number of answers is kept', async () => {
  table.put(objectKey, '', found200());
  table.tell(objectKey, true);
  const { slot, tag, mark } = tier.texts.getTold(objectKey.text) ?? {};
  let kept = 0;
  for (let index = 0; index < 100; index++) {
    answers.push(Promise.resolve({ ...answer, told: { slot, tag, mark }, record: refused(404) }));
    await remote.find({ ...read, recordName: `name ${index}` });
    if (remote.recordNamed(read, `name ${index}`)) kept++;
  }
  expect(kept).toBe(64);
});
