import { expect, it } from 'vitest';
import { type Entry, tagSlotsOfAll, useRecord, withRecord, worthPacking } from '../../../src/cache/entry.ts';
import { Generation } from '../../../src/cache/generation.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordFields, recordOf } from '../../support/records.ts';

const refused = {
  ...recordFields(0),
  kind: 'refused',
  isNegative: true,
  status: 404,
  body: Buffer.alloc(0),
} as const;

function entryOf(count: number): Entry {
  const records = new Map(Array.from({ length: count }, (_, index) => [`${index}`, refused]));
  return { objectKey: testKey('s', 'b', 'k'), records, barrier: 0 };
}

it('of many records the one that is used last is the last', () => {
  const entry = entryOf(5);
  expect(useRecord(entry, '3')).toBe(refused);
  expect([...entry.records.keys()].slice(-2)).toEqual(['4', '3']);
  expect(useRecord(entry, 'other')).toBeUndefined();
  expect(entry.records.size).toBe(5);
});

it('of few, nothing is moved: each hit would cost that', () => {
  const entry = entryOf(4);
  useRecord(entry, '3');
  expect([...entry.records.keys()][3]).toBe('3');
});

it('names that nobody uses twice never displace the few that were used last', () => {
  let { records } = entryOf(5);
  for (let round = 0; round < 3; round++) {
    const entry = { ...entryOf(0), records };
    for (const name of ['1', '2', '3', '4']) useRecord(entry, name);
    for (let made = 0; made < 50; made++) records = withRecord(records, `made up ${round} ${made}`, refused);
    expect([...records.keys()].slice(-4)).toEqual(['1', '2', '3', '4']);
    expect([...records.keys()].at(-5)).toBe(`made up ${round} 49`);
  }
  expect(records.size).toBe(64);
});

it('a name that is new comes before all others while these are few', () => {
  let { records } = entryOf(0);
  for (const name of ['a', 'b', 'c', 'd']) records = withRecord(records, name, refused);
  expect([...records.keys()]).toEqual(['d', 'c', 'b', 'a']);
  expect([...withRecord(undefined, 'a', refused).keys()]).toEqual(['a']);
});

it('another record of a name is its last use', () => {
  const other = { ...refused, status: 403 } as const;
  const before = entryOf(6).records;
  const records = withRecord(before, '2', other);
  expect([...records.keys()]).toEqual(['0', '1', '3', '4', '5', '2']);
  expect(records.get('2')).toBe(other);
  expect(before.get('2')).toBe(refused);
});

/** An entry with the record of whoever names nothing, and so many others with names of this length. */
function variantsOf(count: number, nameLength: number): Entry {
  const names = Array.from({ length: count }, (_, index) => `${index}`.padStart(nameLength, '0'));
  return { ...entryOf(0), records: new Map(['', ...names].map(name => [name, refused])) };
}

const namesOf = (entry: Entry) => [...entry.records.keys()];

it('of many variants those that were used last are packed, fewer of them where they are long, and the one without a name', () => {
  const [short, long] = [variantsOf(60, 20), variantsOf(60, 500)];
  for (const entry of [short, long]) {
    const [, used = ''] = namesOf(entry);
    useRecord(entry, used);
    const packed = namesOf(worthPacking(entry));
    expect(packed).toEqual(['', ...namesOf(entry).slice(1 - packed.length)]);
    expect(packed).toContain(used);
  }
  expect(worthPacking(long).records.size).toBeLessThan(worthPacking(short).records.size);
  expect(worthPacking(short).records.size).toBeLessThan(30);
});

it('of few variants all are packed, and of many the one that was used last, however large', () => {
  const few = variantsOf(3, 100_000);
  expect(worthPacking(few)).toBe(few);
  const large = variantsOf(4, 100_000);
  expect(namesOf(worthPacking(large))).toEqual(['', namesOf(large).at(-1)]);
});

it('versions, which alone refer to many bytes, are all packed, and of each content one record at least', () => {
  const contentOf = (heldBytes: number): Generation =>
    Object.create(Generation.prototype, {
      heldBytes: { value: heldBytes },
      costBytes: { value: 100 },
    }) as Generation;
  const versionsOf = (heldBytes: number): Entry => {
    const versions = Array.from(
      { length: 40 },
      (_, index) => [`version ${index}`.padEnd(2_000), recordOf(contentOf(heldBytes))] as const,
    );
    return { objectKey: testKey('s', 'b', 'k'), records: new Map(versions), barrier: 0 };
  };
  const large = versionsOf(1_000_000);
  expect(worthPacking(large)).toBe(large);
  expect(worthPacking(versionsOf(1_000)).records.size).toBeLessThan(20);
  const shared = recordOf(contentOf(1_000_000));
  const variants = Array.from(
    { length: 40 },
    (_, index) => [`variant ${index}`.padEnd(2_000), shared] as const,
  );
  const entry = { ...large, records: new Map([['oldest', recordOf(contentOf(1_000_000))], ...variants]) };
  const packed = namesOf(worthPacking(entry));
  expect(packed.slice(0, 1)).toEqual(['oldest']);
  expect(packed.length).toBeLessThan(20);
});

it('the tags of an object are those of all its records, each once', () => {
  const tagsOf = (...all: number[][]) =>
    tagSlotsOfAll(new Map(all.map((tagSlots, index) => [`${index}`, { ...refused, tagSlots }])));
  const [none, same] = [[], [1, 2]];
  expect(tagsOf()).toEqual([]);
  expect(tagsOf(none, same, none, same)).toBe(same);
  expect(tagsOf(none, same, [2, 3], none, [1, 4])).toEqual([1, 2, 3, 4]);
});
