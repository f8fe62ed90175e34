import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, it, vi } from 'vitest';
import { CallQueue } from '../../../../src/backend/call-queue.ts';
import type { OriginReceiver } from '../../../../src/backend/origin-call.ts';
import type { StoreReceiver } from '../../../../src/backend/store.ts';
import { PassedBody } from '../../../../src/gateway/pass/passed-body.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { queuedCall } from '../../../support/queued-calls.ts';

const CHUNK_BYTES = 256 * 1024;
/** What a slow client takes in a second. */
const RATE_BYTES = 8 * 1024;
let clock: ManualClock;
let queue: CallQueue;
let sends: PendingSends;
let body: PassedBody;
let response: ServerResponse;
/** What the connection has not taken. */
let waiting: { writeQueueSize: number };
let did: string[];

beforeEach(() => {
  clock = new ManualClock();
  const limits = { connections: 1, queue: 10, queueWaitMs: 60_000, queueTotalMs: 600_000 };
  queue = new CallQueue(limits, clock, () => undefined);
  sends = new PendingSends(clock, { holds: () => 0, claimNeed: () => false });
  const socket = new Socket();
  response = new ServerResponse(new IncomingMessage(socket));
  waiting = { writeQueueSize: 0 };
  vi.spyOn(response, 'socket', 'get').mockReturnValue(Object.assign(socket, { _handle: waiting }));
  vi.spyOn(response, 'write').mockImplementation((chunk: Buffer) => {
    waiting.writeQueueSize += chunk.length;
    return false;
  });
  body = new PassedBody(response, sends, undefined, step => step);
  did = [];
});

/** A call of which the queue is told `events`. */
function enter(name: string, receiver: Partial<StoreReceiver>) {
  const deaf = { answered: () => {}, arrived: () => {}, ended: () => {}, failed: () => {} };
  let told: OriginReceiver = deaf;
  const send = (heard: OriginReceiver) => {
    told = heard;
    did.push(`send ${name}`);
    return { pause: () => {}, resume: () => did.push(`resume ${name}`), abort: () => {} };
  };
  const own = { ...deaf, arrived: (chunk: Buffer) => body.write(chunk), ...receiver };
  const call = queuedCall({ key: name }, own, { queue, clock, send });
  queue.enter(call);
  return { call, told: () => told };
}

/**
 * An answer of which one piece has been written, and another call that waits for its connection.
 * @returns its receiver
 */
function passOne(): OriginReceiver {
  const passed = enter('passed', {
    failed: error => {
      did.push(`cut ${error.code}`);
      body.over();
    },
  });
  body.follow(passed.call);
  passed.told().answered(200, []);
  passed.told().arrived(Buffer.alloc(CHUNK_BYTES));
  enter('next', {});
  return passed.told();
}

it('a client that takes 8 KiB/s is not cut off while other calls wait', () => {
  passOne();
  for (let leftBytes = CHUNK_BYTES; leftBytes > 0; leftBytes -= RATE_BYTES) {
    waiting.writeQueueSize = leftBytes;
    clock.advance(1_000);
  }
  expect(did).toEqual(['send passed']);
  response.emit('drain');
  expect(did).toEqual(['send passed', 'resume passed']);
  expect(sends.size).toBe(0);
});

it('a client that takes nothing is cut off after five seconds when other calls wait', () => {
  passOne();
  clock.advance(4_900);
  expect(did).toEqual(['send passed']);
  clock.advance(200);
  expect(did).toEqual(['send passed', 'cut BROKEN', 'send next']);
  expect(sends.size).toBe(0);
});

it('a client that took something and then takes nothing is cut off five seconds later', () => {
  passOne();
  clock.advance(3_900);
  waiting.writeQueueSize -= 2 * RATE_BYTES;
  clock.advance(5_000);
  expect(did).toEqual(['send passed']);
  clock.advance(200);
  expect(did).toEqual(['send passed', 'cut BROKEN', 'send next']);
});

it('a client of 8 KiB/s is not cut off when the system takes its bytes in steps of a third of a send buffer', () => {
  const stepBytes = Math.floor((4 * 1024 * 1024) / 3 / CHUNK_BYTES) * CHUNK_BYTES;
  const receiver = passOne();
  for (let step = 0; step < 3; step++) {
    // the free part of the buffer takes several chunks at once, and the last chunk has to wait
    for (let takenBytes = 0; takenBytes < stepBytes; takenBytes += CHUNK_BYTES) {
      waiting.writeQueueSize = 0;
      response.emit('drain');
      receiver.arrived(Buffer.alloc(CHUNK_BYTES));
    }
    for (let second = 0; second < stepBytes / RATE_BYTES; second += 10) {
      enter(`next ${second}`, {});
      clock.advance(10_000);
    }
  }
  expect(did.filter(event => event.startsWith('cut'))).toEqual([]);
});

it('a client that takes 16 KiB every five seconds is cut off when other calls wait', () => {
  passOne();
  for (let step = 0; step < 8; step++) {
    clock.advance(4_900);
    waiting.writeQueueSize -= 16 * 1024;
  }
  expect(did).toEqual(['send passed', 'cut BROKEN', 'send next']);
});

it('a call that is known only after its first bytes is paused when the client has not taken them', () => {
  const call = {
    pause: () => did.push('pause'),
    resume: () => did.push('resume'),
    took: (lengthBytes: number) => did.push(`took ${lengthBytes}`),
    abort: () => did.push('abort'),
  };
  body.write(Buffer.alloc(CHUNK_BYTES));
  body.follow(call);
  expect(did).toEqual(['pause']);
  response.emit('drain');
  expect(did).toEqual(['pause', `took ${CHUNK_BYTES}`, 'resume']);
});

it('a call is not resumed when its answer was over before the client took the last bytes', () => {
  const call = {
    pause: () => did.push('pause'),
    resume: () => did.push('resume'),
    took: () => did.push('took'),
    abort: () => undefined,
  };
  body.follow(call);
  body.write(Buffer.alloc(CHUNK_BYTES));
  body.over();
  response.emit('drain');
  expect(did).toEqual(['pause']);
  expect(sends.size).toBe(0);
});
