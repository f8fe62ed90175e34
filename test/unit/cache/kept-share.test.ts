import { beforeEach, expect, it } from 'vitest';
import { KeptShare } from '../../../src/cache/kept-share.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let clock: ManualClock;
let queue: { mainClock: number };
let kept: KeptShare;

beforeEach(() => {
  clock = new ManualClock();
  queue = { mainClock: 0 };
  kept = new KeptShare({ runs: { pages: 8, granulesPerPage: 100 }, queue }, clock);
});

/** What the main queue shows, `seconds` later. */
function after(seconds: number, mainClock: number): number {
  clock.advance(seconds * 1_000);
  queue.mainClock = mainClock;
  return kept.current().since;
}

it('a quarter of the memory is kept', () => {
  expect(kept.current().granules).toBe(200);
});

it('what was found read again is kept for a minute at least, however much comes meanwhile', () => {
  after(0, 10);
  const foundAt = 500;
  expect(after(30, foundAt)).toBeLessThanOrEqual(foundAt);
  expect(after(31, 1_000_000)).toBeLessThanOrEqual(foundAt);
  expect(after(29, 2_000_000)).toBeLessThanOrEqual(foundAt);
});

it('and for two at most, as long as something is evicted', () => {
  after(0, 10);
  after(59, 500);
  after(2, 1_000);
  expect(after(61, 2_000)).toBeGreaterThan(500);
});
