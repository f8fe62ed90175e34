import { expect, it } from 'vitest';
import { type Entry, useRecord } from '../../../src/cache/entry.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordFields } from '../../support/records.ts';

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
  const entry = entryOf(33);
  expect(useRecord(entry, '3')).toBe(refused);
  expect([...entry.records.keys()].slice(-2)).toEqual(['32', '3']);
  expect(useRecord(entry, 'other')).toBeUndefined();
  expect(entry.records.size).toBe(33);
});

it('of few, nothing is moved: each hit would cost that', () => {
  const entry = entryOf(32);
  useRecord(entry, '3');
  expect([...entry.records.keys()][3]).toBe('3');
});
