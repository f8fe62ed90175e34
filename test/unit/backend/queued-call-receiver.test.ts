import { describe, expect, it } from 'vitest';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { OriginReceiver } from '../../../src/backend/origin-call.ts';
import type { QueuedCall } from '../../../src/backend/queued-call.ts';
import { StoreError, type StoreReceiver } from '../../../src/backend/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { queuedCall } from '../../support/queued-calls.ts';

const bytes = Buffer.from('x');

/** A call that was sent; `abort` takes the place of its connection's. */
function sentCall(receiver: StoreReceiver, abort: () => void, note: (error: unknown) => void): QueuedCall {
  const clock = new ManualClock();
  const limits = { connections: 1, queue: 1, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  const queue = new CallQueue(limits, clock, () => undefined);
  const send = () => ({ pause: () => undefined, resume: () => undefined, abort });
  const call = queuedCall({}, receiver, { queue, clock, send, more: { faults: { note } } });
  queue.enter(call);
  return call;
}

/** What a receiver was told and what became of its call; `throwsAt` names what it throws in. */
function scene(throwsAt: readonly (keyof StoreReceiver)[] = []) {
  const told: string[] = [];
  const faults: unknown[] = [];
  const tell = (step: keyof StoreReceiver, what: string) => {
    told.push(what);
    if (throwsAt.includes(step)) throw new TypeError(`thrown in ${step}`);
  };
  const receiver = sentCall(
    {
      answered: ({ status }) => tell('answered', `answered ${status}`),
      arrived: chunk => tell('arrived', `arrived ${chunk.length}`),
      ended: () => tell('ended', 'ended'),
      failed: ({ code, cause }) =>
        tell('failed', `failed ${code} ${cause instanceof Error ? cause.message : ''}`),
    },
    () => told.push('given up'),
    error => faults.push(error),
  );
  return { receiver, told, faults };
}

function answerAll(receiver: OriginReceiver): void {
  receiver.answered(200, []);
  receiver.arrived(bytes);
  receiver.arrived(bytes);
  receiver.ended();
  receiver.failed(new StoreError('BROKEN', 'late', undefined));
}

describe('the receiver of a call', () => {
  it('hands an answer on as it is', () => {
    const { receiver, told } = scene();
    answerAll(receiver);
    expect(told).toEqual(['answered 200', 'arrived 1', 'arrived 1', 'ended']);
  });

  it.each([
    ['answered', ['answered 200', 'given up', 'failed FAULT thrown in answered']],
    ['arrived', ['answered 200', 'arrived 1', 'given up', 'failed FAULT thrown in arrived']],
    ['ended', ['answered 200', 'arrived 1', 'arrived 1', 'ended', 'failed FAULT thrown in ended']],
  ] as const)('ends a call whose receiver throws in %s, and tells it once', (step, expected) => {
    const { receiver, told } = scene([step]);
    answerAll(receiver);
    expect(told).toEqual(expected);
  });

  it('notes what is thrown where the failure is told, and throws it to nobody', () => {
    const { receiver, told, faults } = scene(['arrived', 'failed']);
    answerAll(receiver);
    expect(told).toEqual(['answered 200', 'arrived 1', 'given up', 'failed FAULT thrown in arrived']);
    expect(faults).toEqual([new TypeError('thrown in failed')]);
  });

  it.each(['answered', 'arrived'] as const)(
    'is told what it throws in %s after it has aborted the call, and it is noted once',
    step => {
      const told: string[] = [];
      const faults: unknown[] = [];
      const abortAndThrow = () => {
        call.abort();
        throw new TypeError('thrown after the abort');
      };
      const call: QueuedCall = sentCall(
        {
          answered: () => (step === 'answered' ? abortAndThrow() : undefined),
          arrived: () => abortAndThrow(),
          ended: () => told.push('ended'),
          failed: ({ code, cause }) => told.push(`failed ${code} ${String(cause)}`),
        },
        () => told.push('given up'),
        error => faults.push(error),
      );
      answerAll(call);
      expect(told).toEqual(['given up', 'failed FAULT TypeError: thrown after the abort']);
      expect(faults).toEqual([new TypeError('thrown after the abort')]);
    },
  );

  it('is told once that the queue has ended its call, and what it throws then is noted', () => {
    const told: string[] = [];
    const faults: unknown[] = [];
    const call: QueuedCall = sentCall(
      {
        answered: () => {
          call.endedBy('paused');
          throw new TypeError('thrown after the end');
        },
        arrived: () => told.push('arrived'),
        ended: () => told.push('ended'),
        failed: ({ code }) => told.push(`failed ${code}`),
      },
      () => told.push('given up'),
      error => faults.push(error),
    );
    answerAll(call);
    expect(told).toEqual(['given up', 'failed BROKEN']);
    expect(faults).toEqual([new TypeError('thrown after the end')]);
  });

  it('takes an end without an answer for no answer', () => {
    const { receiver, told } = scene();
    receiver.arrived(bytes);
    receiver.ended();
    expect(told).toEqual(['failed INVALID ']);
  });

  it('hands on one answer of several', () => {
    const { receiver, told } = scene();
    receiver.answered(200, []);
    receiver.answered(404, []);
    expect(told).toEqual(['answered 200']);
  });

  it.each([300, 404, 500])('ends the body of a %i that the store sends without end', status => {
    const { receiver, told } = scene();
    receiver.answered(status, []);
    for (let count = 0; count < 5; count++) receiver.arrived(Buffer.alloc(30 * 1024));
    receiver.ended();
    expect(told.slice(1)).toEqual(['arrived 30720', 'arrived 30720', 'arrived 30720', 'given up', 'ended']);
  });

  it.each([200, 206, 299])('hands on the whole body of a %i', status => {
    const { receiver, told } = scene();
    receiver.answered(status, []);
    for (let count = 0; count < 5; count++) receiver.arrived(Buffer.alloc(64 * 1024));
    receiver.ended();
    expect(told.slice(1)).toEqual([...Array(5).fill('arrived 65536'), 'ended']);
  });

  it('ends a call once, also when giving it up ends it', () => {
    const told: string[] = [];
    const receiver: OriginReceiver = sentCall(
      {
        answered: () => undefined,
        arrived: () => told.push('arrived'),
        ended: () => told.push('ended'),
        failed: () => told.push('failed'),
      },
      () => {
        told.push('given up');
        receiver.ended();
      },
      () => undefined,
    );
    receiver.answered(404, []);
    receiver.arrived(Buffer.alloc(70 * 1024));
    expect(told).toEqual(['arrived', 'given up', 'ended']);
  });

  it('hears no end of an error body that it has aborted', () => {
    const told: string[] = [];
    const call: QueuedCall = sentCall(
      {
        answered: () => undefined,
        arrived: () => {
          told.push('arrived');
          call.abort();
        },
        ended: () => told.push('ended'),
        failed: () => told.push('failed'),
      },
      () => told.push('given up'),
      () => undefined,
    );
    call.answered(404, []);
    call.arrived(Buffer.alloc(70 * 1024));
    expect(told).toEqual(['arrived', 'given up']);
  });
});
