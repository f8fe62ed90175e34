import { beforeEach, describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/backend/call-context.ts';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { StoreReceiver, StoreRequest } from '../../../src/backend/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NotedConnection, queuedCall } from '../../support/queued-calls.ts';

let clock: ManualClock;
let queue: CallQueue;

beforeEach(() => {
  clock = new ManualClock();
  const limits = { connections: 4, queue: 20, queueWaitMs: 20_000, queueTotalMs: 60_000 };
  queue = new CallQueue(limits, clock, () => undefined);
});

/** A call whose store has answered `status` and the first byte of a body. */
function answered(status: number, request: Partial<StoreRequest> = {}, more: Partial<CallContext> = {}) {
  const heard: string[] = [];
  const connection = new NotedConnection();
  const receiver: StoreReceiver = {
    answered: head => heard.push(String(head.status)),
    arrived: chunk => heard.push(chunk.toString()),
    ended: () => heard.push('ended'),
    failed: error => heard.push(error.code),
  };
  const limits = { headMs: 1_000, minRateBytes: 100, windowMs: 1_000 };
  const { did, send } = connection;
  queue.enter(queuedCall(request, receiver, { queue, clock, send, more: { limits, ...more } }));
  connection.answer?.answered(status, []);
  connection.answer?.arrived(Buffer.from('a'));
  return { heard, did, answer: connection.answer };
}

const limited = { errorBody: { lengthBytes: 10, durationMs: 5_000 } };

describe('the body of an error', () => {
  it.each([400, 403, 404, 429, 500, 503, 504])(
    'ends when its time is over, with what has come, however slowly that was: %i',
    status => {
      const { heard, did, answer } = answered(status, {}, limited);
      clock.advance(4_999);
      answer?.arrived(Buffer.from('b'));
      expect([heard, did]).toEqual([[String(status), 'a', 'b'], ['send']]);
      clock.advance(1);
      answer?.arrived(Buffer.from('c'));
      expect([heard, did]).toEqual([
        [String(status), 'a', 'b', 'ended'],
        ['send', 'abort'],
      ]);
    },
  );

  it('ends at its length', () => {
    const { heard, did, answer } = answered(404, {}, limited);
    answer?.arrived(Buffer.from('123456789'));
    expect(heard).toEqual(['404', 'a', '123456789', 'ended']);
    expect(did).toEqual(['send', 'abort']);
  });

  it('that has ended ends nothing later', () => {
    const { heard, did, answer } = answered(503, {}, limited);
    answer?.ended();
    clock.advance(5_000);
    expect([heard, did]).toEqual([['503', 'a', 'ended'], ['send']]);
  });

  it('counts as a failure for the circuit breaker where it was cut', () => {
    const told: string[] = [];
    const breaker = { isRefusing: false, failed: () => told.push('failed'), succeeded: () => undefined };
    answered(503, {}, { ...limited, breaker: breaker as never });
    expect(told).toEqual([]);
    clock.advance(5_000);
    expect(told).toEqual(['failed']);
  });

  it('of a web origin is a content like any other', () => {
    const { heard, answer } = answered(503, {}, { errorBody: undefined });
    for (let second = 0; second < 60; second++) {
      answer?.arrived(Buffer.alloc(100));
      clock.advance(1_000);
    }
    expect(heard).toHaveLength(62);
    expect(heard).not.toContain('ended');
  });
});

describe('the body of a failure that nobody is told', () => {
  const untold = { isFailureUntold: true };

  it.each([
    [429, limited],
    [500, limited],
    [503, { errorBody: undefined }],
  ])('has a quarter of a second: %i', (status, more) => {
    const { heard, did } = answered(status, untold, more);
    clock.advance(249);
    expect(did).toEqual(['send']);
    clock.advance(1);
    expect([heard, did]).toEqual([
      [String(status), 'a', 'ended'],
      ['send', 'abort'],
    ]);
  });

  it('has no longer than any other', () => {
    const { heard } = answered(503, untold, { errorBody: { lengthBytes: 10, durationMs: 100 } });
    clock.advance(100);
    expect(heard).toEqual(['503', 'a', 'ended']);
  });

  it('is no refusal, which is told', () => {
    const { did } = answered(404, untold, limited);
    clock.advance(250);
    expect(did).toEqual(['send']);
  });
});
