import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareNames, inStoreOrder, lastName } from '../../../../src/s3/listing/store-order.ts';
import { resultOf } from '../../../support/steps.ts';

/** Few different characters, so that names begin alike; before, after and beyond the surrogates. */
const names = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}') }),
);

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

const entriesOf = (list: readonly string[]) =>
  list.map((name, index) => ({ name, index, isCommonPrefix: false }));

it('names have the order of their bytes', () => {
  fc.assert(
    fc.property(names, list => {
      for (const one of list)
        for (const other of list) expect(Math.sign(compareNames(one, other))).toBe(byBytes(one, other));
    }),
  );
});

it('entries are sorted by the bytes of their names, and equal ones stay as the store sent them', () => {
  fc.assert(
    fc.property(names, list => {
      const entries = entriesOf(list);
      const sorted = resultOf(inStoreOrder(entries));
      expect(sorted).toEqual(entries.toSorted((one, other) => byBytes(one.name, other.name)));
      expect(resultOf(lastName(entries))).toBe(sorted.at(-1)?.name);
    }),
  );
});

/** Sorts `list`; how often a name was looked at, in all and at most in one step. */
function looksAt(
  list: readonly string[],
  sort: typeof inStoreOrder | typeof lastName = inStoreOrder,
): { all: number; mostInStep: number } {
  let looks = 0;
  const entries = list.map(name => ({
    get name() {
      looks++;
      return name;
    },
    isCommonPrefix: false,
  }));
  const steps = sort(entries);
  let mostInStep = 0;
  for (let before = 0; !steps.next().done; before = looks) mostInStep = Math.max(mostInStep, looks - before);
  return { all: looks, mostInStep };
}

it('a page of tens of thousands of entries in any order is sorted in steps of some hundred names', () => {
  const count = 26_000;
  const any = Array.from({ length: count }, (_, index) => `${(index * 7919) % count}`);
  for (const list of [any, any.toSorted(), any.toSorted().reverse()])
    for (const sort of [inStoreOrder, lastName])
      expect(looksAt(list, sort).mostInStep).toBeLessThanOrEqual(400);
});

it('entries in order, of two kinds one after the other, are compared once or twice each', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(5, '0'));
  expect(looksAt(keys).all).toBeLessThanOrEqual(2 * keys.length);
  expect(looksAt([...keys, ...keys.map(key => `${key}/`)]).all).toBeLessThanOrEqual(8 * keys.length);
});
