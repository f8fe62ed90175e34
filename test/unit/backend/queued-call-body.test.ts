import { Readable } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import type { BodyFlow, StoreReceiver } from '../../../src/backend/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NotedConnection, queuedCall } from '../../support/queued-calls.ts';

let clock: ManualClock;
let queue: CallQueue;

beforeEach(() => {
  clock = new ManualClock();
  queue = openQueue(4);
});

function openQueue(connections: number): CallQueue {
  const limits = { connections, queue: 20, queueWaitMs: 20_000, queueTotalMs: 60_000 };
  return new CallQueue(limits, clock, () => undefined);
}

/** A call with a body in a stream, or a read. */
function enter(key: string, stream?: Readable, client = key) {
  const heard: string[] = [];
  const connection = new NotedConnection();
  let flow: BodyFlow | undefined;
  const follow = (told: BodyFlow) => {
    flow = told;
  };
  const receiver: StoreReceiver = {
    answered: ({ status }) => heard.push(String(status)),
    ...{ arrived: () => undefined, ended: () => heard.push('ended') },
    failed: error => heard.push(`${error.code} ${error.reason}`),
  };
  const { did, send } = connection;
  const bodyStream = stream && { stream, lengthBytes: 3, payloadHash: 'UNSIGNED-PAYLOAD', follow };
  const call = queuedCall(
    {
      key,
      ...(bodyStream ? { method: 'PUT', bodyStream, client } : { method: 'GET' }),
    },
    ...([receiver, { queue, clock, send }] as const),
  );
  queue.enter(call);
  return {
    call,
    heard,
    did,
    answer: () => connection.answer,
    flow: () => flow,
  };
}

it('a store may refuse a body before its end', () => {
  const upload = enter('k', new Readable({ read: () => undefined }));
  upload.answer()?.answered(403, []);
  upload.answer()?.ended();
  expect(upload.heard).toEqual(['403', 'ended']);
});

it('a store that accepts a body before its end is not believed', () => {
  const upload = enter('k', new Readable({ read: () => undefined }));
  upload.answer()?.answered(200, []);
  expect(upload.heard).toEqual(['INVALID INVALID']);
  expect(upload.did).toEqual(['send', 'abort']);
});

it('it is when the body was sent whole', async () => {
  const stream = Readable.from(['abc']);
  const upload = enter('k', stream);
  for await (const _ of stream);
  upload.answer()?.answered(200, []);
  expect(upload.heard).toEqual(['200']);
});

it('a body that waits for its client does not pause the answer', () => {
  const upload = enter('k', new Readable({ read: () => undefined }));
  upload.flow()?.starved();
  expect(upload.did).toEqual(['send']);
});

it('a client that brings nothing for a while gives up its connection to calls that wait, and no other', () => {
  const [slow, busy] = [
    enter('slow', new Readable({ read: () => undefined })),
    enter('busy', new Readable({ read: () => undefined })),
  ];
  for (const key of ['one', 'two']) enter(key);
  const waiting = enter('waiting');
  slow.flow()?.starved();
  for (let second = 0; second < 6; second++) {
    busy.flow()?.starved();
    clock.advance(1_000);
    busy.flow()?.fed(100_000);
  }
  expect(slow.heard).toEqual(['BROKEN GIVEN_UP']);
  expect(busy.heard).toEqual([]);
  expect(waiting.did).toEqual(['send']);
});

it('a client that brings a few bytes now and then gives up its connection like one that brings nothing', () => {
  const [slow, busy] = [
    enter('slow', new Readable({ read: () => undefined })),
    enter('busy', new Readable({ read: () => undefined })),
  ];
  for (const key of ['one', 'two']) enter(key);
  const waiting = enter('waiting');
  for (let quarter = 0; quarter < 40; quarter++) {
    for (const call of [slow, busy]) call.flow()?.starved();
    clock.advance(250);
    slow.flow()?.fed(256);
    busy.flow()?.fed(20_000);
  }
  expect(slow.heard).toEqual(['BROKEN GIVEN_UP']);
  expect(busy.heard).toEqual([]);
  expect(waiting.did).toEqual(['send']);
});

it('law 8: clients that bring a little more than they must leave half of the connections to reads, and half of theirs to quicker writers', () => {
  queue = openQueue(16);
  const endless = () => new Readable({ read: () => undefined });
  const uploads = Array.from({ length: 8 }, (_, index) => enter(`upload ${index}`, endless()));
  const reads = Array.from({ length: 8 }, (_, index) => enter(`read ${index}`));
  const more = Array.from({ length: 6 }, (_, index) => enter(`more ${index}`, endless()));
  const sent = (calls: typeof uploads) => calls.filter(({ did }) => did.length > 0).length;
  expect([sent(uploads), sent(reads), sent(more)]).toEqual([8, 8, 0]);
  for (let burst = 0; burst < 20; burst++) {
    for (const { flow } of uploads) flow()?.starved();
    clock.advance(900);
    for (const { flow } of uploads) flow()?.fed(4_200);
    for (const { flow } of more) flow()?.fed(100_000);
  }
  expect(uploads.filter(({ heard }) => heard.length > 0)).toHaveLength(4);
  expect(sent(more)).toBe(4);
});

it('a client that was slow, but brings much now, does not count as slow', () => {
  const [slow, other] = [
    enter('slow', new Readable({ read: () => undefined })),
    enter('other', new Readable({ read: () => undefined })),
  ];
  for (const { flow } of [slow, other]) flow()?.starved();
  clock.advance(10_000);
  expect([slow.call.pausedSinceMs, other.call.pausedSinceMs]).toEqual([0, 0]);
  slow.flow()?.fed(10 * 64 * 1024);
  other.flow()?.fed(10 * 64 * 1024 - 1);
  expect([slow.call.pausedSinceMs, other.call.pausedSinceMs]).toEqual([undefined, 0]);
});

it('a client that has brought all keeps its connection while the store takes its time to answer', () => {
  const upload = enter('k', new Readable({ read: () => undefined }));
  enter('other', new Readable({ read: () => undefined }));
  for (const key of ['one', 'two']) enter(key);
  upload.flow()?.starved();
  upload.flow()?.satisfied();
  enter('waiting');
  enter('upload that waits', new Readable({ read: () => undefined }));
  clock.advance(6_000);
  expect(upload.heard).toEqual([]);
});

it('a body whose connection breaks is not sent again', () => {
  const upload = enter('k', new Readable({ read: () => undefined }));
  upload.answer()?.failed(Object.assign(new Error('closed'), { code: 'BROKEN', reason: 'BROKEN' }) as never);
  expect(upload.did).toEqual(['send']);
  expect(upload.heard).toEqual(['BROKEN BROKEN']);
});
