import { expect, it } from 'vitest';
import { FillGaps } from '../../src/cache/fill-gaps.ts';
import { RunTable } from '../../src/cache/run-table.ts';
import { Random } from '../fuzz/random.ts';

const [pages, granulesPerPage] = [3, 16];

/** The longest row of granules of a page that are not being filled. */
function longestIn(filled: readonly boolean[], page: number): number {
  let [longest, row] = [0, 0];
  for (const isFilled of filled.slice(page * granulesPerPage, (page + 1) * granulesPerPage)) {
    row = isFilled ? 0 : row + 1;
    longest = Math.max(longest, row);
  }
  return longest;
}

it('what can become free in a page is its longest row of granules that are not being filled', () => {
  const random = new Random(1);
  for (let round = 0; round < 20; round++) {
    const table = new RunTable(pages, granulesPerPage);
    const gaps = new FillGaps(table);
    const filled: boolean[] = Array.from({ length: pages * granulesPerPage }, () => false);
    const runs: number[] = [];
    for (let page = 0; page < pages; page++)
      for (let at = 0; at < granulesPerPage; ) {
        const length = Math.min(1 + random.int(6), granulesPerPage - at);
        runs.push(table.create(page * granulesPerPage + at, length));
        at += length;
      }
    for (let step = 0; step < 100; step++) {
      const run = runs[random.int(runs.length)] ?? 0;
      const begins = random.int(2) === 0;
      if (begins) gaps.begin(run);
      else gaps.end(run);
      filled.fill(begins, table.startOf(run), table.endOf(run));
      const longest = Array.from({ length: pages }, (_, page) => longestIn(filled, page));
      for (let length = 1; length <= granulesPerPage; length++) {
        const has = longest.map((_, page) => gaps.hasRoom(page, length));
        expect(has).toEqual(longest.map(most => most >= length));
        expect(gaps.hasRoomAnywhere(length)).toBe(has.includes(true));
      }
      expect(gaps.isAny).toBe(filled.includes(true));
    }
  }
});
