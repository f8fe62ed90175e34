import { beforeEach, describe, expect, it } from 'vitest';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import { allocateOutages, OutageLog, type SharedOutages } from '../../../src/backend/outage-log.ts';
import { GIVEN_UP, NO_ANSWER, StoreError, type StoreErrorCode } from '../../../src/backend/store.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { aboutSignatures } from '../../../src/s3/store-refusal.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { queuedCall } from '../../support/queued-calls.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly backend: string;
  readonly cause?: string;
}

let clock: ManualClock;
let shared: SharedOutages;
let lines: Line[];
let counted: string[];

beforeEach(() => {
  clock = new ManualClock();
  shared = allocateOutages(2, clock);
  lines = [];
  counted = [];
});

/** What one worker knows of a store. */
function worker(index = 0): OutageLog {
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  const countFailure = (cause: string) => void counted.push(cause);
  return new OutageLog({ store: `store-${index}`, shared, index, clock, logger, countFailure });
}

const failure = (reason: string, code: StoreErrorCode = 'UNREACHABLE') =>
  new StoreError(
    code,
    'the store cannot be reached',
    Object.assign(new Error(`because of ${reason}`), { code: reason }),
  );

const told = () =>
  lines.map(({ level, cause, backend }) => [level, backend, cause].filter(Boolean).join(' '));

it('tells once that requests fail, and once that they work again, however many there are', () => {
  const store = worker();
  store.answered(200);
  for (let count = 0; count < 100; count++) {
    store.failed(failure('ECONNREFUSED'));
    clock.advance(1_000);
  }
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ level: 'warn', backend: 'store-0', cause: 'ECONNREFUSED', error: 'because of ECONNREFUSED' },
      msg: 'requests to the backend fail',
    }),
  ]);
  for (let count = 0; count < 100; count++) {
    store.answered(200);
    clock.advance(1_000);
  }
  expect(lines.slice(1)).toEqual([
    expect.objectContaining({
      ...{ level: 'info', backend: 'store-0', failures: 100, outageS: 99, msg: 'the backend works again' },
    }),
  ]);
});

it('tells the end also when no further request comes', () => {
  const store = worker();
  store.failed(failure('ECONNREFUSED'));
  store.answered(200);
  expect(told()).toHaveLength(1);
  clock.advance(5_000);
  expect(told()).toEqual(['warn store-0 ECONNREFUSED', 'info store-0']);
});

it('does not take a store for working while some of its requests fail', () => {
  const store = worker();
  for (let count = 0; count < 50; count++) {
    store.failed(failure('ECONNRESET', 'BROKEN'));
    store.answered(200);
    clock.advance(2_000);
  }
  expect(told()).toEqual(['warn store-0 ECONNRESET']);
});

it('tells a change of cause once', () => {
  const store = worker();
  for (const reason of ['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ECONNREFUSED']) {
    for (let count = 0; count < 10; count++) {
      store.failed(failure(reason));
      clock.advance(1_000);
    }
  }
  expect(told()).toEqual([
    'warn store-0 ENOTFOUND',
    'warn store-0 ECONNREFUSED',
    'warn store-0 CERT_HAS_EXPIRED',
    'warn store-0 ECONNREFUSED',
  ]);
  expect(lines[1]?.msg).toBe('requests to the backend fail for another cause');
});

it('tells each of several causes that alternate once', () => {
  const store = worker();
  for (let count = 0; count < 100; count++) {
    for (const reason of ['ECONNRESET', 'FIRST_BYTE_TIMEOUT', 'EPIPE']) store.failed(failure(reason));
    clock.advance(1_000);
  }
  expect(told()).toHaveLength(3);
});

it('is told by one of several workers, and each store for itself', () => {
  const workers = [worker(), worker(), worker()];
  for (const each of workers) each.failed(failure('ECONNREFUSED'));
  worker(1).failed(failure('ENOTFOUND'));
  clock.advance(1_000);
  for (const each of workers) each.answered(200);
  clock.advance(10_000);
  expect(told()).toEqual(['warn store-0 ECONNREFUSED', 'warn store-1 ENOTFOUND', 'info store-0']);
});

it('tells a later outage of the same cause again', () => {
  const store = worker();
  for (let count = 0; count < 2; count++) {
    store.failed(failure('ECONNREFUSED'));
    store.answered(200);
    clock.advance(5_000);
  }
  expect(told()).toEqual([
    'warn store-0 ECONNREFUSED',
    'info store-0',
    'warn store-0 ECONNREFUSED',
    'info store-0',
  ]);
});

it('counts each failure by its cause', () => {
  const store = worker();
  for (const reason of ['ECONNREFUSED', 'ECONNREFUSED', 'CERT_HAS_EXPIRED']) store.failed(failure(reason));
  store.answered(200);
  store.answered(503);
  expect(counted).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'STATUS_503']);
});

it('takes 5xx for failing, but no other answer and nothing that the gateway decided itself', () => {
  const store = worker();
  for (const status of [200, 206, 304, 403, 404, 416, 501]) store.answered(status);
  store.failed(new StoreError('BUSY', 'too many calls', undefined));
  store.failed(new StoreError('FAULT', 'a bug', undefined));
  store.failed(new StoreError('BROKEN', 'aborted in favour of waiting calls', undefined, GIVEN_UP));
  expect(told()).toEqual([]);
  expect(counted).toEqual([]);
  store.answered(503);
  expect(told()).toEqual(['warn store-0 STATUS_503']);
});

describe("a store that refuses the gateway's own keys", () => {
  it('is told once, with the code as the cause, and as working again when it has accepted them', () => {
    const store = worker();
    for (let count = 0; count < 30; count++) {
      store.refused('SignatureDoesNotMatch');
      clock.advance(1_000);
    }
    expect(told()).toEqual(['warn store-0 SignatureDoesNotMatch']);
    expect(lines[0]).toMatchObject({ error: "the store refuses the gateway's own keys or signature" });
    expect(counted).toEqual(Array(30).fill('SignatureDoesNotMatch'));
    store.answered(200);
    clock.advance(5_000);
    expect(told()).toEqual(['warn store-0 SignatureDoesNotMatch', 'info store-0']);
  });

  it.each(Array.from(aboutSignatures))('does not work again because a refusal does not say %s', code => {
    const store = worker();
    store.refused(code);
    clock.advance(60_000);
    store.answered(403, true);
    clock.advance(60_000);
    expect(told()).toEqual([`warn store-0 ${code}`]);
    // this one says that it is about something else
    store.answered(403);
    clock.advance(5_000);
    expect(told()).toEqual([`warn store-0 ${code}`, 'info store-0']);
  });

  it('a refusal that does not say why ends an outage of another kind', () => {
    const store = worker();
    store.failed(failure('ECONNRESET'));
    store.answered(403, true);
    clock.advance(5_000);
    expect(told()).toEqual(['warn store-0 ECONNRESET', 'info store-0']);
  });
});

it('takes a read that was given up for its silence for a failure', () => {
  const store = worker();
  store.failed(new StoreError('BUSY', 'too many calls', undefined, NO_ANSWER));
  expect(told()).toEqual(['warn store-0 NO_ANSWER']);
});

it('ends an outage although the wall clock was set back', () => {
  const store = worker();
  store.failed(failure('ECONNREFUSED'));
  clock.stepWallClock(-3_600_000);
  store.answered(200);
  clock.advance(5_000);
  expect(told()).toContain('info store-0');
});

it.each([-7_200_000, -300 * 86_400_000, 3_650 * 86_400_000])(
  'ends an outage of a time to which the wall clock was moved, by %i ms',
  movedMs => {
    const store = worker();
    clock.stepWallClock(movedMs);
    store.failed(failure('ECONNREFUSED'));
    clock.advance(1_000);
    store.failed(failure('ECONNREFUSED'));
    store.answered(200);
    clock.advance(4_900);
    expect(told()).not.toContain('info store-0');
    clock.advance(200);
    expect(told()).toContain('info store-0');
    expect(lines.at(-1)).toMatchObject({ failures: 2, outageS: 1 });
  },
);

it('notes how a request ended, and passes everything on', () => {
  const got: unknown[] = [];
  const receiver = {
    answered: ({ status }: { readonly status: number }) => void got.push(status),
    arrived: (chunk: Buffer) => void got.push(chunk.toString()),
    ended: () => void got.push('end'),
    failed: ({ reason }: StoreError) => void got.push(reason),
  };
  const limits = { connections: 2, queue: 1, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  const queue = new CallQueue(limits, clock, () => undefined);
  const ignored = () => undefined;
  const send = () => ({ pause: ignored, resume: ignored, abort: ignored });
  const parts = { queue, clock, send, more: { outages: worker() } };
  const [ended, failed] = ['a', 'b'].map(key => queuedCall({ key }, receiver, parts));
  for (const call of [ended, failed]) if (call) queue.enter(call);
  ended?.answered(500, []);
  ended?.arrived(Buffer.from('x'));
  ended?.ended();
  failed?.failed(failure('ECONNRESET'));
  expect(got).toEqual([500, 'x', 'end', 'ECONNRESET']);
  expect(told()).toEqual(['warn store-0 STATUS_500', 'warn store-0 ECONNRESET']);
});
