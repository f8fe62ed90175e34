import { beforeEach, expect, it } from 'vitest';
import { AgedRuns } from '../../../src/cache/aged-runs.ts';
import { RunTable } from '../../../src/cache/run-table.ts';

const granulesPerPage = 1_024;

let table: RunTable;
let runs: AgedRuns;
let next: number;

beforeEach(() => {
  table = new RunTable(8, granulesPerPage);
  runs = new AgedRuns(table);
  next = 0;
});

function push(length: number): number {
  const run = table.create(next, length);
  next += length;
  runs.push(run);
  return run;
}

/** Another run of 100 granules comes and goes, so many times. */
function pass(times: number): void {
  const passing = push(100);
  for (let time = 0; time < times; time++) {
    runs.remove(passing);
    runs.push(passing);
  }
  runs.remove(passing);
}

/** All of them, in the order in which they go. */
function order(): number[] {
  const gone: number[] = [];
  for (let run = runs.first(); run !== undefined; run = runs.first()) {
    gone.push(run);
    runs.remove(run);
  }
  return gone;
}

it('runs of one length go in the order in which they came', () => {
  const pushed = Array.from({ length: 5 }, () => push(100));
  expect(order()).toEqual(pushed);
  expect([runs.length, runs.granules]).toEqual([0, 0]);
});

it('a long run goes before a short one that is somewhat older', () => {
  const short = push(16);
  const long = push(512);
  pass(10);
  expect(order()).toEqual([long, short]);
});

it('a short run goes before a long one that is much younger', () => {
  const short = push(16);
  pass(200);
  const long = push(512);
  expect(runs.granules).toBe(16 + 512);
  expect(order()).toEqual([short, long]);
});

it('of the shortest the record counts as well: a longer one that is somewhat younger leaves no more memory', () => {
  const short = push(1);
  pass(5);
  const long = push(2);
  pass(10);
  // with four granules for each record, 5 × 1703 against 6 × 1102
  expect(order()).toEqual([short, long]);
});

it('what is put at the head goes first, however long others are', () => {
  push(1_000);
  const demoted = table.create(next, 1);
  runs.unshift(demoted);
  expect(runs.first()).toBe(demoted);
});

it('the shortest are kept, up to so many granules in all, unless they came too long ago', () => {
  const short = [push(8), push(8)];
  const { now } = runs;
  const long = push(100);
  const kept = { granules: 16, since: 0 };
  expect(runs.first(kept)).toBe(long);
  expect([...short, long].map(run => runs.isKept(run, kept))).toEqual([true, true, false]);
  runs.remove(long);
  expect(runs.first(kept)).toBeUndefined();
  expect(runs.first({ granules: 15, since: 0 }), 'more than that').toBe(short[0]);
  const late = { granules: 16, since: now };
  expect(runs.first(late), 'they came before').toBe(short[0]);
  expect(short.map(run => runs.isKept(run, late))).toEqual([false, false]);
});
