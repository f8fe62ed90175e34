import { expect, it } from 'vitest';
import { FairTurns } from '../../../src/base/fair-turns.ts';
import { SlicedWork, type Steps } from '../../../src/base/sliced-work.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const never = new AbortController().signal;
const limits = { turns: 2, waiting: 10, waitMs: 10_000 };
const twoAtATime = (clock: ManualClock) =>
  new SlicedWork(new FairTurns(limits, clock, () => new Error('no turn')), clock);
const settled = () => new Promise(resolve => setImmediate(resolve));

/** Work of steps that take as long as `steps` says, and note themselves in `done`. */
function worker(clock: ManualClock, done: string[]) {
  return function* work(name: string, steps: readonly number[]): Steps<string> {
    for (const tookMs of steps) {
      clock.advance(tookMs);
      done.push(name);
      yield;
    }
    return name;
  };
}

function* failing(): Steps<never> {
  yield;
  throw new Error('no page');
}

it('gives turns one after the other, with as much time in between as the last one took', async () => {
  const clock = new ManualClock();
  const turns = twoAtATime(clock);
  const done: string[] = [];
  const work = worker(clock, done);
  const answers = [
    turns.take('client', work('a', [40]), never),
    turns.take('client', work('b', [10]), never),
    turns.take('client', work('c', []), never),
  ];
  await settled();
  expect(done).toEqual(['a']);
  clock.advance(39);
  await settled();
  expect(done).toEqual(['a']);
  clock.advance(1);
  await settled();
  expect(done).toEqual(['a', 'b']);
  for (let waits = 0; waits < 3; waits++) {
    clock.advance(10);
    await settled();
  }
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
});

it('ends a turn after two milliseconds, and long work does not hold up short work', async () => {
  const clock = new ManualClock();
  const turns = twoAtATime(clock);
  const done: string[] = [];
  const work = worker(clock, done);
  const long = turns.take('client', work('long', Array(100).fill(1)), never);
  const short = turns.take('client', work('short', [1, 0]), never);
  await settled();
  expect(done).toEqual(['long', 'long']);
  clock.advance(2);
  expect(await short).toBe('short');
  expect(done).toEqual(['long', 'long', 'short', 'short']);
  let turnsTaken = 1;
  for (; done.length < 102; turnsTaken++) {
    const before = done.length;
    clock.advance(2);
    await settled();
    expect(done.length - before).toBeLessThanOrEqual(2);
  }
  expect(turnsTaken).toBe(50);
  clock.advance(2);
  expect(await long).toBe('long');
});

it('goes on behind work that fails, and does no more of what is given up', async () => {
  const clock = new ManualClock();
  const turns = twoAtATime(clock);
  const done: string[] = [];
  const work = worker(clock, done);
  const fault = turns.take('client', failing(), never);
  const left = new AbortController();
  const given = turns.take('client', work('given up', [5, 5]), left.signal);
  const next = turns.take('client', work('next', [0]), never);
  await expect(fault).rejects.toThrow('no page');
  await settled();
  expect(done).toEqual(['given up']);
  left.abort(new Error('left'));
  clock.advance(5);
  expect(await next).toBe('next');
  await expect(given).rejects.toThrow('left');
  expect(done).toEqual(['given up', 'next']);
});
