import { beforeEach, expect, it } from 'vitest';
import { TransferWatch } from '../../../src/backend/transfer-watch.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const limits = { headMs: 3_000, minRateBytes: 1_000, windowMs: 5_000 };
let clock: ManualClock;
let complaints: number;

function watch(different: Partial<typeof limits> = {}): TransferWatch {
  return new TransferWatch({ ...limits, ...different }, clock, () => complaints++);
}

beforeEach(() => {
  clock = new ManualClock();
  complaints = 0;
});

it('an answer without a head in time is too slow', () => {
  watch();
  clock.advance(2_999);
  expect(complaints).toBe(0);
  clock.advance(1);
  expect(complaints).toBe(1);
});

it('one that brings a byte a second is too slow after one window', () => {
  const watched = watch();
  watched.answered();
  for (let second = 0; second < 5; second++) {
    expect(complaints).toBe(0);
    watched.arrived(1);
    clock.advance(1_000);
  }
  expect(complaints).toBe(1);
});

it('one that brings just enough in every window never is, and one that ceases to is', () => {
  const watched = watch();
  watched.answered();
  for (let window = 0; window < 10; window++) {
    watched.arrived(5_000);
    clock.advance(5_000);
  }
  expect(complaints).toBe(0);
  watched.arrived(4_999);
  clock.advance(5_000);
  expect(complaints).toBe(1);
});

it('time in which nothing is wanted does not count', () => {
  const watched = watch();
  watched.answered();
  clock.advance(4_000);
  watched.unwanted();
  clock.advance(60_000);
  watched.wanted();
  clock.advance(4_999);
  expect(complaints).toBe(0);
  clock.advance(1);
  expect(complaints).toBe(1);
});

it('a pause before the head does not lengthen the wait for it', () => {
  const watched = watch();
  watched.unwanted();
  clock.advance(3_000);
  expect(complaints).toBe(1);
});

it('without a minimum any rate will do, and what is over is not watched', () => {
  watch({ minRateBytes: 0 }).answered();
  const over = watch();
  over.answered();
  over.end();
  clock.advance(60_000);
  expect(complaints).toBe(0);
});
