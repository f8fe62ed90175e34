import { beforeEach, expect, it } from 'vitest';
import { BareRuns } from '../../../src/cache/bare-runs.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

let bare: BareRuns;
let evicted: number[];
let visited: Set<number>;
let held: Set<number>;

beforeEach(() => {
  [evicted, visited, held] = [[], new Set(), new Set()];
  const evict = (run: number) => {
    if (held.has(run)) return false;
    evicted.push(run);
    bare.removed(run);
    return true;
  };
  // room for ten granules
  bare = new BareRuns({ lengthOf: () => 1, spares: run => visited.delete(run), evict }, 80);
});

function add(run: number): void {
  expect(bare.makeRoom(1)).toBe(true);
  bare.add(run);
}

it('the oldest go for new ones, those that were read again later, and those that are read not at all', () => {
  for (let run = 0; run < 10; run++) add(run);
  expect(evicted).toEqual([]);
  visited.add(0);
  held.add(1);
  for (let run = 10; run < 18; run++) add(run);
  expect(evicted).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  add(18);
  expect(evicted.at(-1)).toBe(0);
  held.clear();
  add(19);
  expect(evicted.at(-1)).toBe(1);
});

it('what has gone by itself makes room, wherever it was, and comes back as the newest', () => {
  for (let run = 0; run < 10; run++) add(run);
  for (const run of [0, 5, 9]) bare.removed(run);
  for (const run of [0, 20, 21]) add(run);
  expect(evicted).toEqual([]);
  for (let run = 30; run < 38; run++) add(run);
  expect(evicted).toEqual([1, 2, 3, 4, 6, 7, 8, 0]);
});

it('what has gone that was never here makes no room', () => {
  for (let run = 0; run < 10; run++) add(run);
  bare.removed(99);
  add(10);
  expect(evicted).toEqual([0]);
});

it('where all are read there is no room, and no more than a few are looked at', () => {
  for (let run = 0; run < 10; run++) add(run);
  for (let run = 0; run < 10; run++) held.add(run);
  expect(bare.makeRoom(1)).toBe(false);
  held.delete(7);
  expect(bare.makeRoom(1)).toBe(true);
  expect(evicted).toEqual([7]);
  expect(bare.makeRoom(11)).toBe(false);
});

it('goes on where nothing was left', () => {
  for (let run = 0; run < 10; run++) add(run);
  expect(bare.makeRoom(11)).toBe(false);
  expect(evicted).toHaveLength(10);
  for (let run = 10; run < 21; run++) add(run);
  expect(evicted.at(-1)).toBe(10);
});

it('nothing stays of runs that come and go while there is room: V8 keeps what an iterator stands on', () => {
  bare = new BareRuns({ lengthOf: () => 1, spares: () => false, evict: () => false }, 8 * 2_000);
  const comeAndGo = (times: number) => {
    for (let time = 0; time < times; time++) {
      bare.removed(time % 1_000);
      bare.add(time % 1_000);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = comeAndGo(10_000);
  expect(comeAndGo(500_000) - before).toBeLessThan(4_000_000);
});
