import { expect, it } from 'vitest';
import { CallShares } from '../../../src/backend/call-shares.ts';
import type { QueueEntry } from '../../../src/backend/queue-entry.ts';

function callOf(object: string, client: string, isTimed: boolean): QueueEntry {
  return {
    ...{ object, client, isTimed, isAnswered: false },
    ...{ silentSinceMs: undefined, pausedSinceMs: undefined, keptUntilMs: undefined },
    ...{ start() {}, stoodStill() {}, endedBy() {} },
  };
}

it.each([
  ['reads', true],
  ['writes', false],
])('of objects and clients are forgotten with their last call (%s)', (_, isTimed) => {
  const shares = new CallShares(8);
  const sharesOfNext = () => {
    const call = callOf('object', 'client', isTimed);
    shares.enter(call);
    const [ofObject, ofClient] = shares.of(call);
    return { call, ofObject, ofClient };
  };
  const first = sharesOfNext();
  const second = sharesOfNext();
  expect([second.ofObject === first.ofObject, second.ofClient === first.ofClient]).toEqual([true, true]);
  shares.leave(first.call, false);
  shares.leave(second.call, false);
  const third = sharesOfNext();
  expect([third.ofObject === first.ofObject, third.ofClient === first.ofClient]).toEqual([false, false]);
});

it.each([true, false])(
  'what is wanted by others leaves the share of its client, running or not (%s)',
  isRunning => {
    const shares = new CallShares(4);
    const calls = ['a', 'b', 'c'].map(object => callOf(object, 'client', true));
    for (const call of calls) {
      shares.enter(call);
      shares.start(call);
    }
    const next = callOf('d', 'client', true);
    shares.enter(next);
    expect(shares.mayStart(next)).toBe(false);
    const released = isRunning ? calls[0] : next;
    if (released) shares.release(released, isRunning);
    expect(shares.mayStart(next)).toBe(true);
    expect(shares.of(next)).toHaveLength(isRunning ? 3 : 2);
  },
);

it('a call that is not known, or released already, has nothing to release', () => {
  const shares = new CallShares(4);
  const [known, next] = ['a', 'b'].map(object => callOf(object, 'client', true));
  if (!known || !next) throw new Error('no calls');
  shares.release(known, false);
  for (const call of [known, next]) shares.enter(call);
  const ofClient = shares.of(next)[1];
  expect(ofClient?.calls).toBe(2);
  for (let time = 0; time < 2; time++) shares.release(known, false);
  expect(ofClient?.calls).toBe(1);
  shares.leave(known, false);
  expect([ofClient?.calls, shares.all.calls]).toEqual([1, 1]);
});
