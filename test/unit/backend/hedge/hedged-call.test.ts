import { beforeEach, describe, expect, it } from 'vitest';
import { HedgePolicy } from '../../../../src/backend/hedge/hedge-policy.ts';
import { HedgedCall, isHedged } from '../../../../src/backend/hedge/hedged-call.ts';
import {
  type StoreCall,
  StoreError,
  type StoreReceiver,
  type StoreRequest,
} from '../../../../src/backend/store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const read: StoreRequest = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };
const broken = (why = 'cut') => new StoreError('BROKEN', why, undefined);

/** A request at the store, which a test answers. */
interface Sent {
  readonly to: StoreReceiver;
  readonly start: () => void;
  readonly did: string[];
}

let clock: ManualClock;
let policy: HedgePolicy;
let sent: Sent[];
let heard: string[];
let outcomes: string[];
let mayHedge: boolean;

beforeEach(() => {
  clock = new ManualClock();
  policy = new HedgePolicy({ quantile: 0.99, share: 0.05 }, clock);
  sent = [];
  heard = [];
  outcomes = [];
  mayHedge = true;
});

function send(): StoreCall {
  const receiver: StoreReceiver = {
    answered: ({ status }) => heard.push(`answered ${status}`),
    arrived: chunk => heard.push(chunk.toString()),
    ended: () => heard.push('ended'),
    failed: error => heard.push(error.message),
  };
  return HedgedCall.send(read, receiver, {
    ...{ policy, clock, mayHedge: () => mayHedge, hedged: outcome => outcomes.push(outcome) },
    enter: (_, to, start) => {
      const did: string[] = [];
      sent.push({ to, start, did });
      return {
        pause: () => void did.push('pause'),
        resume: () => void did.push('resume'),
        took: bytes => void did.push(`took ${bytes}`),
        abort: () => void did.push('abort'),
      };
    },
  });
}

function at(index: number): Sent {
  const found = sent[index];
  if (!found) throw new Error(`there is no request ${index}`);
  return found;
}

/** The store answers most reads within 10 ms. */
function learn(reads = 200): void {
  for (let read = 0; read < reads; read++) {
    policy.began();
    policy.answered(10);
  }
}

/** A read that is slow enough to be asked for again. */
function sendSlow(): StoreCall {
  learn();
  const call = send();
  at(0).start();
  clock.advance(20);
  expect(sent).toHaveLength(2);
  return call;
}

function answer(index: number, status = 200, body = 'bytes'): void {
  at(index).to.answered({ status, fields: [] });
  at(index).to.arrived(Buffer.from(body));
  at(index).to.ended();
}

describe('the first answer is taken', () => {
  it('of the second request, and the first one given up', () => {
    sendSlow();
    answer(1);
    answer(0, 200, 'late');
    expect(heard).toEqual(['answered 200', 'bytes', 'ended']);
    expect([at(0).did, at(1).did, outcomes]).toEqual([['abort'], [], ['won']]);
  });

  it('of the first request, and the second one given up', () => {
    sendSlow();
    answer(0);
    answer(1, 200, 'late');
    expect(heard).toEqual(['answered 200', 'bytes', 'ended']);
    expect([at(0).did, at(1).did, outcomes]).toEqual([[], ['abort'], ['lost']]);
  });

  it('though the other request has failed before', () => {
    sendSlow();
    at(0).to.failed(broken());
    expect(heard).toEqual([]);
    answer(1);
    expect(heard).toEqual(['answered 200', 'bytes', 'ended']);
  });

  it('but not an error of the second request while the first one may do better', () => {
    sendSlow();
    at(1).to.answered({ status: 503, fields: [] });
    expect([heard, at(1).did]).toEqual([[], ['abort']]);
    answer(0);
    expect(heard).toEqual(['answered 200', 'bytes', 'ended']);
    expect(outcomes).toEqual(['lost']);
  });

  it('and when both fail, the failure of the first is told, once', () => {
    sendSlow();
    at(0).to.failed(broken('first'));
    at(1).to.failed(broken('second'));
    expect([heard, outcomes]).toEqual([['first'], ['lost']]);
  });

  it('and what fails in its middle fails the read', () => {
    sendSlow();
    at(1).to.answered({ status: 200, fields: [] });
    at(1).to.failed(broken('in the middle'));
    expect(heard).toEqual(['answered 200', 'in the middle']);
  });
});

describe('no second request is sent', () => {
  it.each<[string, () => void]>([
    ['before it is known what is slow', () => learn(99)],
    [
      'while others wait, or the store is in trouble',
      () => {
        learn();
        mayHedge = false;
      },
    ],
  ])('%s', (_, prepare) => {
    prepare();
    send();
    at(0).start();
    clock.advance(60_000);
    expect(sent).toHaveLength(1);
  });

  it('for a read that waits in the queue, or is answered as fast as most', () => {
    learn();
    send();
    clock.advance(1_000);
    at(0).start();
    clock.advance(9);
    answer(0);
    clock.advance(1_000);
    expect(sent).toHaveLength(1);
  });

  it('for a read that has failed, or that nobody wants any more', () => {
    learn();
    send();
    at(0).start();
    at(0).to.failed(broken());
    const call = send();
    at(1).start();
    call.abort();
    clock.advance(60_000);
    expect([sent.length, heard]).toEqual([2, ['cut']]);
  });

  it('for more than one read in twenty, however slow they are', () => {
    learn(100);
    // what those have earned is used up first
    for (let read = 0; read < 1_000; read++) {
      send();
      sent.at(-1)?.start();
      clock.advance(30);
    }
    expect(sent.length - 1_000).toBeGreaterThan(40);
    expect(sent.length - 1_000).toBeLessThanOrEqual(0.05 * 1_100);
  });
});

it('both requests are paused and given up together, and the one that answers is told what was taken', () => {
  const call = sendSlow();
  call.pause();
  call.resume();
  expect([at(0).did, at(1).did]).toEqual([
    ['pause', 'resume'],
    ['pause', 'resume'],
  ]);
  answer(1);
  call.took(5);
  expect(at(1).did).toEqual(['pause', 'resume', 'took 5']);
});

it('a read that is given up ends both', () => {
  sendSlow().abort();
  expect([at(0).did, at(1).did, outcomes]).toEqual([['abort'], ['abort'], ['lost']]);
});

it.each<[boolean, Partial<StoreRequest>]>([
  [true, { method: 'GET' }],
  [true, { method: 'HEAD' }],
  [false, { method: 'PUT' }],
  [false, { method: 'POST' }],
  [false, { method: 'DELETE' }],
  [false, { operation: 'GetObjectTagging' }],
  [false, { key: undefined, operation: 'ListObjectsV2' }],
  [false, { key: undefined }],
])('%s: a second request may be sent for %j', (expected, different) => {
  expect(isHedged({ ...read, ...different })).toBe(expected);
});
