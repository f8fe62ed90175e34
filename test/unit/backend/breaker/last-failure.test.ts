import { beforeEach, expect, it } from 'vitest';
import { IDLE_MS, LastFailure } from '../../../../src/backend/breaker/last-failure.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let questions: ((isAlive: boolean) => void)[];
let last: LastFailure;

beforeEach(() => {
  clock = new ManualClock();
  questions = [];
  last = new LastFailure({ clock, ask: judged => questions.push(judged) });
});

it('a store whose last call failed is asked when nobody has called it for a while, until it answers', () => {
  last.failed();
  clock.advance(IDLE_MS - 1);
  expect(questions).toHaveLength(0);
  clock.advance(1);
  expect(questions).toHaveLength(1);
  questions[0]?.(false);
  clock.advance(IDLE_MS);
  expect(questions).toHaveLength(2);
  questions[1]?.(true);
  clock.advance(10 * IDLE_MS);
  expect(questions).toHaveLength(2);
});

it('a store that answers after a failure is not asked, and again after the next failure', () => {
  last.failed();
  last.succeeded();
  clock.advance(2 * IDLE_MS);
  expect(questions).toHaveLength(0);
  last.failed();
  clock.advance(IDLE_MS);
  expect(questions).toHaveLength(1);
});

it('a store that goes on failing calls is not asked between them, so that the question does not count among them', () => {
  for (let call = 0; call < 20; call++) {
    last.failed();
    clock.advance(IDLE_MS / 2);
  }
  expect(questions).toHaveLength(0);
  clock.advance(IDLE_MS / 2);
  expect(questions).toHaveLength(1);
});

it('a question that is never judged is followed by others', () => {
  last.failed();
  clock.advance(3 * IDLE_MS);
  expect(questions).toHaveLength(3);
});

it.each([
  ['before', () => last.failed()],
  ['never before', () => undefined],
])('nothing is asked after the end, where a call had failed %s', (_, before) => {
  before();
  last.stop();
  last.failed();
  clock.advance(2 * IDLE_MS);
  expect(questions).toHaveLength(0);
});
