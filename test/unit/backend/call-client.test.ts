import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { QueuedCall } from '../../../src/backend/queued-call.ts';
import { StoreError } from '../../../src/backend/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NotedConnection, queuedCall } from '../../support/queued-calls.ts';

const CONNECTIONS = 4;
const clock = new ManualClock();
const receiver = {
  answered: () => undefined,
  arrived: () => undefined,
  ended: () => undefined,
  failed: () => undefined,
};

function openQueue(): CallQueue {
  const limits = { connections: CONNECTIONS, queue: 10, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  return new CallQueue(limits, clock, () => undefined);
}

it('a call that others want as well starts as one that is for no client', () => {
  const queue = openQueue();
  for (const key of ['a', 'b', 'c'])
    queue.enter(
      queuedCall({ key, client: 'one' }, receiver, { queue, clock, send: new NotedConnection().send }),
    );
  const sharing = new AbortController();
  const startedFor: (string | undefined)[] = [];
  const call: QueuedCall = queuedCall({ key: 'd', client: 'one', shared: sharing.signal }, receiver, {
    ...{ queue, clock },
    send: told => {
      startedFor.push(call.client);
      return new NotedConnection().send(told);
    },
  });
  queue.enter(call);
  expect(startedFor).toEqual([]);
  sharing.abort();
  expect(startedFor).toEqual([undefined]);
});

it('a call that others want before it comes is for no client', () => {
  const queue = openQueue();
  const [before, meanwhile] = [new AbortController(), new AbortController()];
  before.abort();
  const calls = [before, meanwhile].map(({ signal }) =>
    queuedCall({ client: 'one', shared: signal }, receiver, {
      queue,
      clock,
      send: new NotedConnection().send,
    }),
  );
  meanwhile.abort();
  expect(calls.map(({ client }) => client)).toEqual([undefined, undefined]);
});

it.each<[string, (call: QueuedCall, connection: NotedConnection) => void]>([
  [
    'has ended',
    (_, { answer }) => {
      answer?.answered(200, []);
      answer?.ended();
    },
  ],
  ['has failed', (_, { answer }) => answer?.failed(new StoreError('BROKEN', 'gone', undefined))],
  ['was aborted', call => call.abort()],
])('a call that %s is held by no signal', (_, end) => {
  const queue = openQueue();
  const { signal } = new AbortController();
  const connection = new NotedConnection();
  const { send } = connection;
  const call = queuedCall({ client: 'one', shared: signal }, receiver, { queue, clock, send });
  queue.enter(call);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  end(call, connection);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
