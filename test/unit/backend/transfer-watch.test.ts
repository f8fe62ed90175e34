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

it('one to which the minimum rate does not apply may bring nothing for long', () => {
  watch().answered(false);
  clock.advance(60_000);
  expect(complaints).toBe(0);
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

it('a head that arrived while the thread was blocked is in time', () => {
  const watched = watch();
  clock.advance(2_000);
  clock.holdUp(5_000);
  // the timer runs before the socket is read
  clock.advance(0);
  expect(complaints).toBe(0);
  watched.answered();
  clock.advance(4_999);
  expect(complaints).toBe(0);
});

it('a body whose bytes arrived while the thread was blocked is fast enough', () => {
  const watched = watch();
  watched.answered();
  clock.advance(1_000);
  clock.holdUp(9_000);
  clock.advance(0);
  watched.arrived(5_000);
  clock.advance(5_000);
  expect(complaints).toBe(0);
});

it.each([0, 60_000])('a blocked thread gives a silent store no more than a grace period (%i ms)', held => {
  watch();
  clock.holdUp(10_000);
  clock.advance(0);
  clock.advance(499);
  expect(complaints).toBe(0);
  clock.holdUp(held);
  clock.advance(1);
  expect(complaints).toBe(1);
});

it('a reader that pauses in the grace period stops it', () => {
  const watched = watch();
  watched.answered();
  clock.holdUp(10_000);
  clock.advance(0);
  watched.unwanted();
  clock.advance(60_000);
  expect(complaints).toBe(0);
});
