import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { CounterCell, Metrics } from '../../../../src/base/metrics.ts';
import { type ArchivedRead, ExchangeObserver } from '../../../../src/gateway/reply/exchange-observer.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { Admission } from '../../../../src/gateway/request/admission.ts';
import type { CacheResult } from '../../../../src/gateway/request/cache-status.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { ReceivedBody } from '../../../../src/gateway/request/received-body.ts';
import { s3Error } from '../../../../src/s3/error.ts';
import { accessLogTo } from '../../../support/access-log-to.ts';
import { anyRate } from '../../../support/any-rate.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let metrics: Metrics;
let observer: ExchangeObserver;
let lines: Record<string, unknown>[];
let warnings: Record<string, unknown>[];
let archived: ArchivedRead[];

beforeEach(() => {
  clock = new ManualClock();
  metrics = new Metrics();
  [lines, warnings, archived] = [[], [], []];
  const writeTo = (to: Record<string, unknown>[]) => (line: string) => void to.push(JSON.parse(line));
  const logger = createLogger({ level: 'info', sink: { write: writeTo(warnings), flush: () => undefined } });
  observer = new ExchangeObserver({
    ...{ metrics, clock, accessLog: accessLogTo(writeTo(lines)), logger },
    rates: anyRate,
    admission: new Admission({
      urlBytes: 1,
      requests: 1,
      requestsPerAddress: 1,
      requestsPerAccessKey: 1,
      connectionsPerAccessKey: 10_000,
    }),
    sends: new PendingSends(clock, { holds: () => 0, claimNeed: () => false }),
    onArchivedRead: read => archived.push(read),
  });
});

/** A request that begins now and is over with what `different` says of it. */
function exchangeWith(different: Partial<Exchange>, result: CacheResult = 'HIT'): Exchange {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const ends = { refuse: () => undefined, fault: () => undefined };
  const exchange = new Exchange(
    response,
    'GET',
    '/b/k',
    clock.monotonicMs(),
    'id',
    'id2',
    { now: 'today' },
    ends,
  );
  const report = { result, cacheStatus: 'tidegate' };
  const usual = { bucket: 'b', operation: 'GetObject', status: 200, bodyBytes: 10, report };
  observer.began();
  return Object.assign(exchange, usual, different);
}

function sent(different: Partial<Exchange>, result?: CacheResult): void {
  observer.sent(exchangeWith(different, result));
}

/** The samples of a family that are not zero: labels, and value. */
async function samples(name: string): Promise<Record<string, number>> {
  const family = (await metrics.snapshot()).find(one => one.name === name);
  const counted = family?.values.filter(({ value }) => value !== 0) ?? [];
  return Object.fromEntries(counted.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

it('answers are counted by what they are, with their bytes, in whatever order they come', async () => {
  const kinds: readonly [Partial<Exchange>, CacheResult][] = [
    [{}, 'HIT'],
    [{}, 'MISS'],
    [{ status: 206 }, 'HIT'],
    [{ bucket: 'other' }, 'HIT'],
    [{ operation: 'HeadObject', bodyBytes: 0 }, 'HIT'],
  ];
  for (let round = 0; round < 2; round++) for (const [different, result] of kinds) sent(different, result);
  sent({}, 'HIT');
  sent({}, 'HIT');
  expect(await samples('tidegate_requests_total')).toEqual({
    'b GetObject 200 HIT': 4,
    'b GetObject 200 MISS': 2,
    'b GetObject 206 HIT': 2,
    'other GetObject 200 HIT': 2,
    'b HeadObject 200 HIT': 2,
  });
  expect(await samples('tidegate_response_bytes_total')).toEqual({
    'b HIT': 60,
    'b MISS': 20,
    'other HIT': 20,
  });
});

it('look-ups are hits where bytes came from the cache; who passes it by looks nothing up', async () => {
  for (const result of ['HIT', 'STALE', 'REVALIDATED', 'MISS', 'PARTIAL', 'BYPASS'] as const)
    sent({}, result);
  expect(await samples('tidegate_cache_lookups_total')).toEqual({
    'memory hit': 3,
    'memory miss': 1,
    'memory partial': 1,
  });
});

it('requests in flight are those that have begun and are not over', async () => {
  const [one, other] = [exchangeWith({}), exchangeWith({})];
  expect(await samples('tidegate_requests_in_flight')).toEqual({ '': 2 });
  observer.sent(one);
  observer.sent(one);
  expect(await samples('tidegate_requests_in_flight')).toEqual({ '': 1 });
  observer.sent(other);
  expect(await samples('tidegate_requests_in_flight')).toEqual({});
});

it('what clients send is counted as it is read', async () => {
  const [one, other] = [exchangeWith({}), exchangeWith({})];
  observer.receives(one).arrived(20);
  observer.receives(other).arrived(4);
  expect(await samples('tidegate_request_bytes_total')).toEqual({ b: 24 });
  observer.receives(one).arrived(10);
  observer.sent(one);
  observer.sent(other);
  sent({});
  expect(one.received?.receivedBytes).toBe(30);
  expect(await samples('tidegate_request_bytes_total')).toEqual({ b: 34 });
});

it('durations are those to the head and to the last byte, in seconds; of one write they are the same', async () => {
  clock.advance(1_000);
  const slow = exchangeWith({});
  clock.advance(20);
  observer.firstByte(slow);
  clock.advance(180);
  observer.sent(slow);
  const short = exchangeWith({});
  clock.advance(2);
  observer.sent(short);
  const seconds = async (name: string) => {
    const family = (await metrics.snapshot()).find(one => one.name === name);
    const sums = family?.values.filter(({ metricName }) => metricName === `${name}_sum`) ?? [];
    return sums.map(({ labels, value }) => [labels, Math.round(value * 1e6)]);
  };
  expect(await seconds('tidegate_request_first_byte_seconds')).toEqual([[{ cache: 'HIT' }, 22_000]]);
  expect(await seconds('tidegate_request_duration_seconds')).toEqual([[{ cache: 'HIT' }, 202_000]]);
  expect(lines.map(({ durationMs }) => durationMs)).toEqual([200, 2]);
});

it('errors are counted by codes of the protocol, and by whose verdict they are', async () => {
  sent({ errorCode: 'NoSuchKey', refusedBy: 'store' });
  sent({ errorCode: 'AccessDenied' });
  sent({ errorCode: 'StoreIsOdd', refusedBy: 'store' });
  sent({});
  expect(await samples('tidegate_error_responses_total')).toEqual({
    'b NoSuchKey store': 1,
    'b AccessDenied gateway': 1,
    'b _other store': 1,
  });
  expect(warnings).toEqual([]);
});

it('reads of archived objects are told, with the version that was asked for', () => {
  const errorCode = 'InvalidObjectState';
  sent({ errorCode, key: 'k' });
  sent({ errorCode, key: 'k', versionId: 'v' });
  sent({ errorCode });
  sent({ errorCode: 'NoSuchKey', key: 'k' });
  expect(archived).toEqual([
    { bucket: 'b', key: 'k' },
    { bucket: 'b', key: 'k', versionId: 'v' },
  ]);
});

it('a refused signature is warned of', () => {
  const refusedSignature = { client: '192.0.2.1', accessKey: 'AKIA', why: 'it is another one' };
  sent({ errorCode: 'SignatureDoesNotMatch', refusedSignature });
  expect(warnings).toEqual([expect.objectContaining({ requestId: 'id', ...refusedSignature })]);
  expect(lines).toEqual([expect.objectContaining(refusedSignature)]);
});

const unreachable = new StoreError('UNREACHABLE', 'no way', undefined, 'ECONNREFUSED');

it.each<[string, Partial<Exchange>, object]>([
  ['an answer', {}, {}],
  ['a call that failed', { status: 503, failure: unreachable }, { backend: 'main', cause: 'ECONNREFUSED' }],
  [
    'an error that a failed call has caused',
    { status: 503, failure: s3Error('ServiceUnavailable', { cause: unreachable }) },
    { backend: 'main', cause: 'ECONNREFUSED' },
  ],
  ['a 500 of the store', { status: 500, refusedBy: 'store' }, { backend: 'main', cause: 'STATUS_500' }],
  ['a 404 of the store', { status: 404, refusedBy: 'store' }, {}],
  ['a 500 of the gateway', { status: 500 }, {}],
  ['an answer that cannot be used', { status: 502, failure: new Error('not XML') }, { backend: 'main' }],
])('the log line of %s names the store at fault, and the cause', (_, different, expected) => {
  sent({ ...different, backend: 'main' });
  const [line] = lines;
  const { backend, cause } = line ?? {};
  expect({ ...(backend !== undefined && { backend }), ...(cause !== undefined && { cause }) }).toEqual(
    expected,
  );
});

it('a log line tells who asked for what, and how it ended', () => {
  const failure = new Error('f'.repeat(600));
  const received = new ReceivedBody(new CounterCell());
  received.arrived(3);
  const ended = { hasClientLeft: true, failure, storeSaid: 'a page', received };
  sent({ caller: 'AKIA', errorCode: 'X', ...ended }, 'MISS');
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ requestId: 'id', method: 'GET', url: '/b/k', operation: 'GetObject', bucket: 'b', caller: 'AKIA' },
      ...{
        status: 200,
        code: 'X',
        cache: 'MISS',
        bytes: 10,
        receivedBytes: 3,
        durationMs: 0,
        clientLeft: true,
      },
      ...{ failure: 'f'.repeat(512), storeSaid: 'a page' },
    }),
  ]);
});
