import { beforeEach, describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/backend/call-context.ts';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import { GIVEN_UP, type StoreError, type StoreReceiver } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NotedConnection, queuedCall } from '../../support/queued-calls.ts';

const limits = { headMs: 3_000, minRateBytes: 1_000, windowMs: 5_000 };
let clock: ManualClock;
let queue: CallQueue;

beforeEach(() => {
  clock = new ManualClock();
  queue = openQueue(2);
});

function openQueue(connections: number): CallQueue {
  const limits = { connections, queue: 10, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  return new CallQueue(limits, clock, () => undefined);
}

/** A call, what its sender was told to do, and what its receiver heard. */
function enter(
  object: string,
  isRead = true,
  onEnd: () => void = () => undefined,
  more: Partial<CallContext> = {},
) {
  const heard: string[] = [];
  const reasons: string[] = [];
  const connection = new NotedConnection();
  const receiver: StoreReceiver = {
    answered: () => heard.push('answered'),
    arrived: chunk => heard.push(`${chunk.length} bytes`),
    ended: () => {
      heard.push('ended');
      onEnd();
    },
    failed: error => {
      heard.push(error.code);
      reasons.push(error.reason);
    },
  };
  const { did, send } = connection;
  const request = { method: isRead ? 'GET' : 'PUT', key: object };
  const call = queuedCall(request, receiver, { queue, clock, send, more: { limits, ...more } });
  queue.enter(call);
  return { call, did, heard, reasons, answer: () => connection.answer };
}

/** The store shows that it answers at once. */
function answerTwenty(): void {
  for (let index = 0; index < 20; index++) {
    const quick = enter(`quick ${index}`);
    quick.answer()?.answered(200, []);
    quick.answer()?.ended();
  }
}

it('a call that is paused while it waits begins paused', () => {
  const first = enter('first');
  enter('second');
  const waiting = enter('waiting');
  waiting.call.pause();
  expect(waiting.did).toEqual([]);
  first.answer()?.answered(200, []);
  first.answer()?.ended();
  expect(waiting.did).toEqual(['send', 'pause']);
  waiting.call.resume();
  expect(waiting.did).toEqual(['send', 'pause', 'resume']);
});

it('a silent read is given up for one that waits, a silent write is not', () => {
  queue = openQueue(4);
  answerTwenty();
  const many = [enter('a', false), enter('b', false), enter('c'), enter('d')];
  const next = enter('next');
  clock.advance(1_600);
  expect(many.map(({ heard }) => heard)).toEqual([[], [], ['BUSY'], []]);
  expect(next.did).toEqual(['send']);
});

it('a read given up for its silence is a failure of the store once that has answered nothing for 5 s', async () => {
  const metrics = new Metrics();
  const failures: string[] = [];
  const outages = {
    ...{ answered: () => undefined, refused: () => undefined },
    failed: ({ code, reason }: StoreError) => void failures.push(`${code} ${reason}`),
  };
  const meter = new StoreMeter(metrics).backend('main');
  const more = { meter, outages, limits: { ...limits, headMs: undefined } };
  const press = (times: string) => {
    for (const object of ['a', 'b', 'c', 'd']) enter(`${object} ${times}`, true, () => undefined, more);
    clock.advance(1_600);
  };
  queue = openQueue(4);
  press('at first');
  press('again');
  expect(failures).toEqual(expect.arrayContaining(['BUSY GIVEN_UP']));
  expect(failures).not.toContain('BUSY NO_ANSWER');
  clock.advance(2_000);
  failures.length = 0;
  press('after 5 s');
  expect(failures).toContain('BUSY NO_ANSWER');
  const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_requests_total');
  const counted = family?.values.map(({ labels }) => labels.status);
  expect(counted?.toSorted()).toEqual(['busy', 'timeout']);
});

it('a store that was not asked for a while is not silent', () => {
  clock.advance(60_000);
  enter('a');
  expect(queue.isStoreSilent).toBe(false);
  clock.advance(2_900);
  expect(queue.isStoreSilent).toBe(false);
});

it('how long writes take says nothing about reads', () => {
  queue = openQueue(4);
  const writes = Array.from({ length: 4 }, (_, index) => enter(`write ${index}`, false));
  clock.advance(2_900);
  for (const { answer } of writes) {
    answer()?.answered(200, []);
    answer()?.ended();
  }
  answerTwenty();
  const silent = enter('a');
  for (const object of ['b', 'c', 'd', 'next']) enter(object);
  clock.advance(1_600);
  expect(silent.heard).toEqual(['BUSY']);
});

describe('time in which this thread was held up does not count against a reader', () => {
  /** Calls of which each has the connection and half of an answer that nobody takes. */
  function paused(count: number) {
    return Array.from({ length: count }, (_, index) => {
      const one = enter(`paused ${index}`);
      one.answer()?.answered(200, []);
      one.call.pause();
      return one;
    });
  }
  const broken = (calls: readonly { heard: readonly string[] }[]) =>
    calls.filter(({ heard }) => heard.includes('BROKEN')).length;

  it.each(['while others wait', 'while nobody waits'])('that has stalled: %s', when => {
    const calls = paused(2);
    clock.advance(500);
    if (when === 'while others wait') enter('waits');
    clock.holdUp(6_000);
    clock.advance(0);
    enter('waits too');
    clock.advance(400);
    expect(broken(calls)).toBe(0);
    clock.advance(100);
    expect(broken(calls), 'slow for a second').toBe(1);
  });

  it('and what it took before still counts for it', () => {
    const [first, second] = paused(2);
    first?.call.took(4 * 1024);
    clock.advance(4_500);
    clock.holdUp(30_000);
    clock.advance(0);
    second?.call.resume();
    clock.advance(600);
    enter('waits');
    clock.advance(100);
    expect(first?.heard, 'five seconds, and one for what it took').not.toContain('BROKEN');
    clock.advance(900);
    expect(first?.heard).toContain('BROKEN');
    expect(first?.reasons, 'no fault of the store').toEqual([GIVEN_UP]);
  });

  it('a call that was paused after it began anew, whatever was before', () => {
    const calls = paused(2);
    clock.holdUp(6_000);
    for (const { call } of calls) {
      call.resume();
      call.pause();
    }
    clock.advance(0);
    enter('waits');
    clock.advance(950);
    expect(broken(calls)).toBe(0);
    clock.advance(100);
    expect(broken(calls)).toBe(1);
  });
});

it('a call too slow to answer, or to go on, fails with TIMEOUT and frees its connection', () => {
  const slow = [enter('a'), enter('b')];
  slow[1]?.answer()?.answered(200, []);
  slow[1]?.answer()?.arrived(Buffer.alloc(100));
  clock.advance(5_000);
  expect(slow.map(({ heard }) => heard)).toEqual([['TIMEOUT'], ['answered', '100 bytes', 'TIMEOUT']]);
  expect(queue.counts()).toEqual({ waiting: 0, unanswered: 0, transferring: 0, paused: 0, objects: 0 });
});

it('a receiver that throws at the end frees the connection all the same', () => {
  const throwing = enter('a', true, () => {
    throw new Error('thrown');
  });
  throwing.answer()?.answered(200, []);
  throwing.answer()?.ended();
  expect(throwing.heard).toEqual(['answered', 'ended', 'FAULT']);
  expect(queue.counts().transferring).toBe(0);
});

it('after an abort nothing is heard, whether it waited or was under way', () => {
  const running = enter('a');
  enter('b');
  const waiting = enter('c');
  waiting.call.abort();
  running.call.abort();
  running.answer()?.failed(new Error('late') as StoreError);
  clock.advance(10_000);
  expect([running.did, running.heard, waiting.did, waiting.heard]).toEqual([['send', 'abort'], [], [], []]);
});

it('a call that is aborted while it is being sent is not left running', () => {
  const did: string[] = [];
  const send = () => {
    call.abort();
    return { pause: () => {}, resume: () => {}, abort: () => did.push('abort') };
  };
  const ignored = { answered: () => {}, arrived: () => {}, ended: () => {}, failed: () => {} };
  const call = queuedCall({}, ignored, { queue, clock, send });
  queue.enter(call);
  expect(did).toEqual(['abort']);
  expect(queue.counts().objects).toBe(0);
});

it('a call that was refused and is aborted in the same turn hears nothing', async () => {
  queue = new CallQueue(
    { connections: 1, queue: 0, queueWaitMs: 2_000, queueTotalMs: 10_000 },
    clock,
    () => {},
  );
  enter('running');
  const [heard, aborted] = [enter('a'), enter('b')];
  aborted.call.abort();
  await Promise.resolve();
  expect([heard.heard, aborted.heard]).toEqual([['BUSY'], []]);
});

it('the head of the answer to a write may take any time', () => {
  const [read, write] = [enter('a'), enter('b', false)];
  clock.advance(60_000);
  expect([read.heard, write.heard]).toEqual([['TIMEOUT'], []]);
});

it('an answer is fast enough by what arrives, and not measured while its reader has paused it', () => {
  queue = openQueue(8);
  const [fast, late, early] = [enter('fast'), enter('late'), enter('early')];
  early.call.pause();
  for (const { answer } of [fast, late, early]) answer()?.answered(200, []);
  late.call.pause();
  late.call.resume();
  fast.answer()?.arrived(Buffer.alloc(5_000));
  clock.advance(5_000);
  const ofEach = [fast, late, early].map(({ heard }) => heard.at(-1));
  expect(ofEach).toEqual(['5000 bytes', 'TIMEOUT', 'answered']);
});

it('the answer to a write may come as slowly as its store likes', () => {
  const write = enter('k', false);
  write.answer()?.answered(200, []);
  clock.advance(60_000);
  write.answer()?.arrived(Buffer.from(' '));
  clock.advance(60_000);
  write.answer()?.ended();
  expect(write.heard).toEqual(['answered', '1 bytes', 'ended']);
});

it('calls of a web origin, which has neither buckets nor keys, are for their targets', () => {
  const objectOf = (target: string, host?: string) => {
    const receiver: StoreReceiver = { answered() {}, arrived() {}, ended() {}, failed() {} };
    const { send } = new NotedConnection();
    const fields = host === undefined ? [] : [{ name: 'host', value: host, store: false }];
    const request = { bucket: undefined, key: undefined, target, fields };
    return queuedCall(request, receiver, { queue, clock, send }).object;
  };
  expect(objectOf('/a')).not.toBe(objectOf('/b'));
  expect(objectOf('/a')).toBe(objectOf('/a'));
  expect(objectOf('/a', 'a.test')).not.toBe(objectOf('/a', 'b.test'));
});
