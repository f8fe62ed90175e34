import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SentRequest } from '../../../src/backend/call-context.ts';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { OriginReceiver } from '../../../src/backend/origin-call.ts';
import type { QueuedCall } from '../../../src/backend/queued-call.ts';
import { RetryBudget } from '../../../src/backend/retry-budget.ts';
import { StoreError, type StoreErrorCode, type StoreRequest } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { queuedCall } from '../../support/queued-calls.ts';

let sent: { receiver: OriginReceiver; did: string[] }[];
let got: string[];
let clock: ManualClock;
let budget: RetryBudget;
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
  clock = new ManualClock();
  budget = new RetryBudget(8);
  read = enter('GET', true);
});

function enter(method: string, isResent: boolean, more: Partial<StoreRequest> = {}): QueuedCall {
  const limits = { connections: 1, queue: 1, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  const queue = new CallQueue(limits, clock, () => undefined);
  const meter = new StoreMeter(new Metrics()).backend('main');
  const call = queuedCall(
    { method, isResent, ...more },
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
      more: { budget, meter: { ...meter, retried: () => got.push('resent') } },
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

/** A body that nobody reads. */
const unread = () => {
  const stream = Readable.from([Buffer.from('abc')]);
  const follow = () => undefined;
  return { bodyStream: { stream, lengthBytes: 3, payloadHash: 'UNSIGNED-PAYLOAD', follow } };
};

describe('a call for which there was no connection', () => {
  it.each([
    ['GET', {}],
    ['DELETE', {}],
    ['POST', { body: Buffer.from('<a/>') }],
    ['PUT', unread()],
  ] as const)('is sent again after a while, twice: %s', (method, more) => {
    sent = [];
    enter(method, true, more);
    for (const [index, delayMs] of [75, 150].entries()) {
      nth(index).receiver.failed(failed('UNREACHABLE'));
      clock.advance(delayMs - 1);
      expect(sent).toHaveLength(index + 1);
      clock.advance(1);
      expect(sent).toHaveLength(index + 2);
    }
    nth(2).receiver.failed(failed('UNREACHABLE'));
    clock.advance(5_000);
    expect(sent).toHaveLength(3);
    expect(got).toEqual(['resent', 'resent', 'UNREACHABLE']);
  });

  it('is not, if its caller does not want that', () => {
    sent = [];
    enter('PUT', false);
    nth(0).receiver.failed(failed('UNREACHABLE'));
    clock.advance(5_000);
    expect([got, sent.length]).toEqual([['UNREACHABLE'], 1]);
  });

  it('is not, once bytes of its body were taken', async () => {
    sent = [];
    const body = unread();
    enter('PUT', true, body);
    for await (const _ of body.bodyStream.stream);
    nth(0).receiver.failed(failed('UNREACHABLE'));
    clock.advance(5_000);
    expect([got, sent.length]).toEqual([['UNREACHABLE'], 1]);
  });

  it('is not, after two seconds', () => {
    clock.advance(1_926);
    nth(0).receiver.failed(failed('UNREACHABLE'));
    expect(got).toEqual(['UNREACHABLE']);
  });

  it('is sent no more when it is aborted meanwhile, or given up', () => {
    nth(0).receiver.failed(failed('UNREACHABLE'));
    read.abort();
    sent = [];
    const other = enter('PUT', true);
    nth(0).receiver.failed(failed('UNREACHABLE'));
    other.endedBy('paused');
    clock.advance(5_000);
    expect([got, sent.length]).toEqual([['resent', 'resent', 'BROKEN'], 1]);
  });

  it('waits for its turn in its pause as well', () => {
    nth(0).receiver.failed(failed('UNREACHABLE'));
    read.pause();
    clock.advance(75);
    expect(nth(1).did).toEqual(['pause']);
  });
});

it('whatever happens, nothing that may have changed something is sent twice, and nothing after two seconds', () => {
  const code = fc.constantFrom<StoreErrorCode>(
    'UNREACHABLE',
    'BROKEN',
    'TIMEOUT',
    'INVALID',
    'BUSY',
    'FAULT',
  );
  const attempt = fc.record({ code, afterMs: fc.integer({ min: 0, max: 1_500 }) });
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE'),
      fc.array(attempt, { minLength: 4, maxLength: 4 }),
      (method, attempts) => {
        sent = [];
        got = [];
        clock = new ManualClock();
        budget = new RetryBudget(8);
        enter(method, true);
        const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(method);
        for (const [index, { code, afterMs }] of attempts.entries()) {
          if (sent.length <= index) break;
          clock.advance(afterMs);
          nth(index).receiver.failed(failed(code));
          const failedMs = clock.monotonicMs();
          const mayFollow = code === 'UNREACHABLE' || (isSafe && code === 'BROKEN');
          if (!mayFollow || failedMs > 2_000) expect(sent).toHaveLength(index + 1);
          while (sent.length === index + 1 && clock.monotonicMs() < failedMs + 500) clock.advance(5);
          if (!mayFollow) expect(sent).toHaveLength(index + 1);
          if (sent.length > index + 1) expect(clock.monotonicMs()).toBeLessThanOrEqual(2_005);
        }
        expect(sent.length).toBeLessThanOrEqual(3);
        expect(got.at(-1)).not.toBe('resent');
      },
    ),
  );
});

it.each(['HEAD', 'OPTIONS'])('so is a %s, which changes nothing either', method => {
  sent = [];
  enter(method, true);
  nth(0).receiver.failed(failed('BROKEN'));
  expect([got, sent.length]).toEqual([['resent'], 2]);
});

it('is sent three times at the most, the third time after a while', () => {
  for (const index of [0, 1]) nth(index).receiver.failed(failed('BROKEN'));
  clock.advance(149);
  expect(sent).toHaveLength(2);
  clock.advance(1);
  nth(2).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['resent', 'resent', 'BROKEN']);
  expect(sent).toHaveLength(3);
});

it.each(['TIMEOUT', 'INVALID', 'BUSY', 'FAULT'] as const)('is not sent again after %s', code => {
  nth(0).receiver.failed(failed(code));
  expect(got).toEqual([code]);
});

it('is not sent again when the budget of its store is used up, which answers fill', () => {
  budget = new RetryBudget(1);
  const resent = () => {
    sent = [];
    enter('GET', true);
    nth(0).receiver.failed(failed('BROKEN'));
    return sent.length > 1;
  };
  expect([resent(), resent()]).toEqual([true, false]);
  for (let index = 0; index < 11; index++) {
    sent = [];
    enter('GET', true);
    nth(0).receiver.answered(200, []);
  }
  expect([resent(), resent()]).toEqual([true, false]);
});

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
