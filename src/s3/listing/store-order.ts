import type { Steps } from '../../base/sliced-work.ts';

interface Named {
  readonly name: string;
}

/** What starts with a prefix sorts before the prefix followed by this one, the highest code point. */
export const LAST_CHARACTER = '\u{10ffff}';

/** Names that are compared in one step. */
const COMPARISONS_PER_STEP = 100;

/** Compares names by their bytes in UTF-8, which is the store's order; allocates nothing. */
export function compareNames(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const unit = one.charCodeAt(at);
    const otherUnit = other.charCodeAt(at);
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

/** UTF-16 units have the order of bytes, but for surrogates: those characters come after all others. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Sorts entries by name; equal names keep their order. A merge sort that starts from what is in order already: stores send
 * sorted entries, of several kinds one kind after the other, and a page of thousands in any order is sorted in steps.
 */
export function* inStoreOrder<Entry extends Named>(entries: readonly Entry[]): Steps<readonly Entry[]> {
  let runs = yield* sortedRuns(entries);
  while (runs.length > 1) {
    const longer: Entry[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      longer.push(yield* merged(runs[index] ?? [], runs[index + 1] ?? []));
      yield;
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

/** The last name in the store's order. */
export function* lastName(entries: readonly Named[]): Steps<string | undefined> {
  let last = entries[0]?.name;
  for (const [index, { name }] of entries.entries()) {
    if (last !== undefined && compareNames(name, last) > 0) last = name;
    if (index % COMPARISONS_PER_STEP === 0) yield;
  }
  return last;
}

function* sortedRuns<Entry extends Named>(entries: readonly Entry[]): Steps<Entry[][]> {
  const runs: Entry[][] = [];
  let run: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    const before = run.at(-1);
    if (before === undefined || compareNames(before.name, entry.name) > 0) {
      run = [];
      runs.push(run);
    }
    run.push(entry);
    if (index % COMPARISONS_PER_STEP === 0) yield;
  }
  return runs;
}

function* merged<Entry extends Named>(ones: readonly Entry[], others: readonly Entry[]): Steps<Entry[]> {
  const result: Entry[] = [];
  let at = 0;
  for (const one of ones) {
    for (let other = others[at]; other && compareNames(other.name, one.name) < 0; other = others[at]) {
      result.push(other);
      at++;
      if (result.length % COMPARISONS_PER_STEP === 0) yield;
    }
    result.push(one);
    if (result.length % COMPARISONS_PER_STEP === 0) yield;
  }
  return result.concat(others.slice(at));
}
