import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthPrefixed } from '../../../src/base/length-prefixed.ts';
import type { Content } from '../../../src/cache/content.ts';
import { withRecord, worthPacking } from '../../../src/cache/entry.ts';
import { forgetHidden, hiddenBy } from '../../../src/cache/hidden-answers.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import type { ObjectRecord, ReadableRecord } from '../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { variantName } from '../../../src/http/vary.ts';
import { httpHeader } from '../../support/asked-ranges.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordFields, recordOf } from '../../support/records.ts';

/** Reader 0 to 3: the values of two fields that it sends. */
const readers = [0, 1, 2, 3] as const;
const lists = [[], ['a'], ['b'], ['a', 'b']] as const;

function variantOf(vary: readonly string[], reader: number): string {
  if (vary.length === 0) return '';
  return lengthPrefixed(variantName(vary, name => String(name === 'a' ? reader & 1 : reader >> 1)));
}

function answerOf(receivedMs: number, vary: readonly string[], status = 200, dateS?: number): ReadableRecord {
  const record = recordOf({ sizeBytes: 0 } as Content);
  const date = dateS === undefined ? [] : [httpHeader('date', new Date(dateS * 1_000).toUTCString())];
  return { ...record, receivedMs, answer: { status, vary }, fields: date };
}

/** What a reader gets: the most recent answer that it selects, an error of the server only where there is nothing else. */
function givenTo(reader: number, records: ReadonlyMap<string, ReadableRecord>): ReadableRecord | undefined {
  const own = [...records].flatMap(([name, record]) =>
    name === variantOf(record.answer?.vary ?? [], reader) ? [record] : [],
  );
  const rank = (record: ReadableRecord) => (record.answer?.status === 200 ? 1e9 : 0) + madeAt(record);
  return own.sort((one, other) => rank(other) - rank(one))[0];
}

/** Of answers that all have dates, or none, the one with the higher number is the more recent. */
function madeAt({ fields, receivedMs }: ReadableRecord): number {
  const date = fields.find(({ name }) => name === 'date');
  return (date ? Date.parse(date.value) : 0) + receivedMs / 1_000;
}

const history = fc.array(
  fc.record({
    reader: fc.constantFrom(...readers),
    vary: fc.constantFrom(...lists),
    status: fc.constantFrom(200, 200, 503),
    dateS: fc.nat(6),
  }),
  { maxLength: 12 },
);

it('nobody is given what is older than that which was given before', () => {
  fc.assert(
    fc.property(history, fc.boolean(), fc.integer({ min: 0, max: 4095 }), (arrived, isDated, dropped) => {
      const records = new Map<string, ReadableRecord>();
      for (const [at, { reader, vary, status, dateS }] of arrived.entries())
        records.set(
          variantOf(vary, reader),
          answerOf(10_000 + at, vary, status, isDated ? dateS : undefined),
        );
      const left = new Map([...records].filter((_, index) => ((dropped >> index) & 1) === 0));
      forgetHidden(records, left);
      for (const reader of readers) {
        const [before, after] = [givenTo(reader, records), givenTo(reader, left)];
        if (after !== undefined && after !== before)
          expect(madeAt(after)).toBeGreaterThan(before ? madeAt(before) : Infinity);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('what varies alike is of other readers', () => {
  const [first, second] = [answerOf(1, ['a']), answerOf(2, ['a'])];
  const records = new Map<string, ObjectRecord>([
    ['a=0', first],
    ['a=1', second],
  ]);

  it('and stays', () => {
    expect(hiddenBy([['a=1', second]], records)).toEqual([]);
  });

  it('unless something that varies otherwise came between, and goes too', () => {
    const between = new Map([...records, ['b=0', answerOf(1.5, ['b'])]]);
    expect(hiddenBy([['a=1', second]], between)).toEqual(['b=0', 'a=0']);
    expect(hiddenBy([['a=1', second]], between, first)).toEqual(['b=0']);
  });
});

it('what no request can select beside what goes is of other readers', () => {
  const nameOf = (values: Readonly<Record<string, string | undefined>>) =>
    lengthPrefixed(variantName(Object.keys(values), name => values[name]));
  const recordsOf = (...all: readonly Readonly<Record<string, string | undefined>>[]) =>
    new Map(all.map((values, at) => [nameOf(values), answerOf(at, Object.keys(values))]));
  const older = [{ a: 'x' }, { a: 'y' }, { a: undefined }, { b: 'z' }];
  const records = recordsOf(...older, { b: 'w' });
  const gone = { a: 'x', b: 'z' };
  const hidden = hiddenBy([[nameOf(gone), answerOf(9, ['a', 'b'])]], records);
  // by way of what varies by `b`, which readers of each `a` may have been given
  expect(new Set(hidden)).toEqual(new Set(older.map(nameOf)));
  const alone = recordsOf({ a: 'x' }, { a: 'y' }, { a: undefined });
  expect(hiddenBy([[nameOf(gone), answerOf(9, ['a', 'b'])]], alone)).toEqual([nameOf({ a: 'x' })]);
  const long = { a: 'x'.repeat(10_000), b: 'z' };
  expect(hiddenBy([[nameOf(long), answerOf(9, ['a', 'b'])]], alone)).toEqual([]);
});

it.each([
  ['an error of the server that goes takes no older answer with it', 503, 200, []],
  ['an error of the server that goes takes older ones with it', 503, 500, ['a=0']],
  ['an answer that goes takes older errors of the server with it', 200, 503, ['a=0']],
])('%s', (_, status, of, hidden) => {
  const older = new Map([['a=0', answerOf(1, ['a'], of)]]);
  expect(hiddenBy([['b=0', answerOf(2, ['b'], status)]], older)).toEqual(hidden);
});

it('of answers that came at the same time each may have hidden the others', () => {
  const names = ['', ...['x', 'y'].map(a => lengthPrefixed(variantName(['a'], () => a)))];
  const together = new Map(names.map(name => [name, answerOf(1, name === '' ? [] : ['a'])]));
  for (const gone of names) {
    const left = new Map(together);
    left.delete(gone);
    forgetHidden(together, left);
    expect([...left.keys()]).toEqual([]);
  }
});

it('records of objects hide nothing', () => {
  const record = recordFields(0);
  const object = { ...record, content: { sizeBytes: 0 } as Content };
  const records = new Map<string, ObjectRecord>([
    ['', object],
    ['v', { ...object, receivedMs: 1 }],
  ]);
  expect(hiddenBy([['w', { ...object, receivedMs: 2 }]], records)).toEqual([]);
});

describe('what was hidden goes with what hid it, where that goes, and nothing else does', () => {
  const nameOf = (values: Readonly<Record<string, string>>) =>
    lengthPrefixed(variantName(Object.keys(values), name => values[name]));
  const [hidden, sibling] = [nameOf({ a: '0', c: '0' }), nameOf({ a: '0', c: '1' })];
  const hiding = nameOf({ b: '0', c: '0' });
  const older = [
    [hidden, answerOf(0, ['a', 'c'])],
    [sibling, answerOf(0, ['a', 'c'])],
  ] as const;
  const oldest = [hiding, answerOf(1, ['b', 'c'])] as const;
  const newer = (count: number, pad = '') =>
    Array.from({ length: count }, (_, index) => {
      const name = nameOf({ b: `${index + 1}${pad}`, c: '0' });
      return [name, answerOf(2 + index, ['b', 'c'])] as const;
    });

  it('for want of room among the records of its name', () => {
    const before = new Map<string, ObjectRecord>([oldest, ...newer(61), ...older]);
    expect(before.size).toBe(64);
    const records = withRecord(before, nameOf({ b: 'z', c: '0' }), answerOf(70, ['b', 'c']));
    expect([hiding, hidden, sibling].map(name => records.has(name))).toEqual([false, false, true]);
  });

  it('but for what is stored, though that came before it', () => {
    const [oldName, old] = older[0];
    const before = new Map<string, ObjectRecord>([oldest, ...newer(63)]);
    const records = withRecord(before, oldName, old);
    expect([records.has(hiding), records.get(oldName)]).toEqual([false, old]);
  });

  it('as it is packed', () => {
    const records = new Map<string, ObjectRecord>([oldest, ...newer(60, 'x'.repeat(100)), ...older]);
    const packed = worthPacking({ objectKey: testKey('s', 'b', 'k'), records, barrier: 0 }).records;
    expect([hiding, hidden, sibling].map(name => packed.has(name))).toEqual([false, false, true]);
  });

  it('by a purge', () => {
    const barriers = new PurgeBarriers(allocateSharedMemory(2 ** 20, 2 ** 16, 1));
    const tagged = { ...oldest[1], tagSlots: [7] };
    const records = new Map<string, ReadableRecord>([...older, [hiding, tagged], ...newer(1)]);
    barriers.raise({ kind: 'tag', slot: 7 }, 'hard', 0);
    const left = barriers.appliedToAll(testKey('s', 'b', 'k').text, records);
    expect([...(left?.keys() ?? [])]).toEqual([sibling, ...newer(1).map(([name]) => name)]);
  });
});
