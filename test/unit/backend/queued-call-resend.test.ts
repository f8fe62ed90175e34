import { beforeEach, expect, it } from 'vitest';
import type { SentRequest } from '../../../src/backend/call-context.ts';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { OriginReceiver } from '../../../src/backend/origin-call.ts';
import type { QueuedCall } from '../../../src/backend/queued-call.ts';
import { StoreError, type StoreErrorCode } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { queuedCall } from '../../support/queued-calls.ts';

let sent: { receiver: OriginReceiver; did: string[] }[];
let got: string[];
let read: QueuedCall;

const failed = (code: StoreErrorCode) => new StoreError(code, code, undefined);
const nth = (index: number) => {
  const call = sent[index];
  if (!call) throw new Error(`there is no call ${index}`);
  return call;
};

beforeEach(() => {
  sent = [];
  got = [];
  read = enter('GET', true);
});

function enter(method: string, isResent: boolean): QueuedCall {
  const clock = new ManualClock();
  const limits = { connections: 1, queue: 1, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  const queue = new CallQueue(limits, clock, () => undefined);
  const meter = new StoreMeter(new Metrics()).backend('main');
  const call = queuedCall(
    { method, isResent },
    {
      answered: ({ status }) => got.push(String(status)),
      arrived: chunk => got.push(chunk.toString()),
      ended: () => got.push('ended'),
      failed: error => got.push(error.code),
    },
    {
      queue,
      clock,
      send: receiver => {
        const did: string[] = [];
        sent.push({ receiver, did });
        return recorder(did);
      },
      more: { meter: { ...meter, retried: () => got.push('resent') } },
    },
  );
  queue.enter(call);
  return call;
}

function recorder(did: string[]): SentRequest {
  return {
    pause: () => did.push('pause'),
    resume: () => did.push('resume'),
    abort: () => did.push('abort'),
  };
}

it('is sent again when the connection breaks before the answer, and keeps its pause', () => {
  read.pause();
  nth(0).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['resent']);
  expect(nth(1).did).toEqual(['pause']);
  read.resume();
  const { receiver } = nth(1);
  receiver.answered(200, []);
  receiver.arrived(Buffer.from('a'));
  receiver.ended();
  expect(got).toEqual(['resent', '200', 'a', 'ended']);
  expect(nth(1).did).toEqual(['pause', 'resume']);
});

it.each(['HEAD', 'OPTIONS'])('so is a %s, which changes nothing either', method => {
  sent = [];
  enter(method, true);
  nth(0).receiver.failed(failed('BROKEN'));
  expect([got, sent.length]).toEqual([['resent'], 2]);
});

it('is sent three times at the most', () => {
  for (const index of [0, 1, 2]) nth(index).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['resent', 'resent', 'BROKEN']);
  expect(sent).toHaveLength(3);
});

it.each(['UNREACHABLE', 'TIMEOUT', 'INVALID', 'BUSY', 'FAULT'] as const)(
  'is not sent again after %s',
  code => {
    nth(0).receiver.failed(failed(code));
    expect(got).toEqual([code]);
  },
);

it('is not sent again once it was answered or given up', () => {
  nth(0).receiver.answered(200, []);
  nth(0).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['200', 'BROKEN']);
});

it('is not sent again when it was given up', () => {
  read.endedBy('paused');
  nth(0).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['BROKEN']);
  expect(sent).toHaveLength(1);
});

it.each([
  ['GET', false],
  ['PUT', true],
] as const)(
  'a %s is not sent again where its caller does not want it (%s), or if it is no read',
  (method, isResent) => {
    sent = [];
    enter(method, isResent);
    nth(0).receiver.failed(failed('BROKEN'));
    expect([got, sent.length]).toEqual([['BROKEN'], 1]);
  },
);

it('a read that fails as it is sent is sent again, and the last sending is the one that is aborted', () => {
  sent = [];
  const clock = new ManualClock();
  const limits = { connections: 1, queue: 1, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  const queue = new CallQueue(limits, clock, () => undefined);
  const ignored = { answered: () => {}, arrived: () => {}, ended: () => {}, failed: () => {} };
  const send = (receiver: OriginReceiver) => {
    const did: string[] = [];
    const isFirst = sent.push({ receiver, did }) === 1;
    if (isFirst) receiver.failed(failed('BROKEN'));
    return recorder(did);
  };
  const call = queuedCall({ isResent: true }, ignored, { queue, clock, send });
  queue.enter(call);
  call.abort();
  expect(sent.map(({ did }) => did)).toEqual([[], ['abort']]);
});
