import { beforeEach, expect, it } from 'vitest';
import type { SentCall } from '../../../src/backend/queued-call.ts';
import { ResentRead } from '../../../src/backend/resent-read.ts';
import { StoreError, type StoreErrorCode, type StoreReceiver } from '../../../src/backend/store.ts';

let sent: { receiver: StoreReceiver; did: string[] }[];
let got: string[];
let read: ResentRead;

const failed = (code: StoreErrorCode) => new StoreError(code, code, undefined);
const nth = (index: number) => {
  const call = sent[index];
  if (!call) throw new Error(`there is no call ${index}`);
  return call;
};

beforeEach(() => {
  sent = [];
  got = [];
  read = new ResentRead(
    receiver => {
      const did: string[] = [];
      sent.push({ receiver, did });
      return recorder(did);
    },
    {
      answered: ({ status }) => got.push(String(status)),
      arrived: chunk => got.push(chunk.toString()),
      ended: () => got.push('ended'),
      failed: error => got.push(error.code),
    },
    () => got.push('resent'),
  );
});

function recorder(did: string[]): SentCall {
  return {
    pause: () => did.push('pause'),
    resume: () => did.push('resume'),
    abort: () => did.push('abort'),
    giveUp: () => did.push('giveUp'),
  };
}

it('is sent again when the connection breaks before the answer, and keeps its pause', () => {
  read.pause();
  nth(0).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['resent']);
  expect(nth(1).did).toEqual(['pause']);
  read.resume();
  const { receiver } = nth(1);
  receiver.answered({ status: 200, fields: [] });
  receiver.arrived(Buffer.from('a'));
  receiver.ended();
  expect(got).toEqual(['resent', '200', 'a', 'ended']);
  expect(nth(1).did).toEqual(['pause', 'resume']);
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
  nth(0).receiver.answered({ status: 200, fields: [] });
  nth(0).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['200', 'BROKEN']);
});

it('is not sent again when it was given up', () => {
  read.giveUp(failed('BROKEN'));
  nth(0).receiver.failed(failed('BROKEN'));
  expect(got).toEqual(['BROKEN']);
  expect(sent).toHaveLength(1);
});
