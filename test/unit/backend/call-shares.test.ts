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
