import { beforeEach, describe, expect, it } from 'vitest';
import { CallReport } from '../../../../src/backend/breaker/call-report.ts';
import { GIVEN_UP, NO_ANSWER, StoreError, type StoreErrorCode } from '../../../../src/backend/store.ts';

let told: string[];

beforeEach(() => {
  told = [];
});

function sent(method = 'GET'): CallReport {
  const breaker = { succeeded: () => told.push('succeeded'), failed: () => told.push('failed') };
  return new CallReport(breaker, { method });
}

describe('a failure of the store is', () => {
  it.each([500, 502, 504, 599])('an answer with %s', status => {
    const report = sent();
    report.answered(status);
    report.ended();
    expect(told).toEqual(['failed']);
  });

  it.each<[StoreErrorCode, string | undefined]>([
    ['UNREACHABLE', undefined],
    ['TIMEOUT', undefined],
    ['BROKEN', undefined],
    ['INVALID', undefined],
    ['BUSY', NO_ANSWER],
  ])('%s', (code, reason) => {
    sent().failed(new StoreError(code, 'failed', undefined, reason));
    expect(told).toEqual(['failed']);
  });

  it.each(['<Error><Code>ServiceUnavailable</Code></Error>', 'no server is up', ''])(
    'a 503 that says %j',
    body => {
      const report = sent();
      report.answered(503);
      expect(told).toEqual([]);
      report.arrived(Buffer.from(body));
      report.ended();
      expect(told).toEqual(['failed']);
    },
  );

  it('a 503 whose body goes on and on, once', () => {
    const report = sent();
    report.answered(503);
    for (let chunk = 0; chunk < 3; chunk++) report.arrived(Buffer.alloc(1_024, ' '));
    report.ended();
    expect(told).toEqual(['failed']);
  });

  it('a 503 whose body breaks off, once', () => {
    const report = sent();
    report.answered(503);
    report.failed(new StoreError('BROKEN', 'failed', undefined));
    expect(told).toEqual(['failed']);
  });
});

describe('no failure of the store is', () => {
  it.each([200, 206, 304, 400, 403, 404, 412, 416, 429, 501, 507])('an answer with %s', status => {
    const report = sent();
    report.answered(status);
    report.ended();
    expect(told).toEqual(['succeeded']);
  });

  it('a 503 that says SlowDown, in pieces too', () => {
    const report = sent();
    report.answered(503);
    report.arrived(Buffer.from('<Error><Code>Slow'));
    report.arrived(Buffer.from('Down</Code></Error>'));
    report.ended();
    expect(told).toEqual(['succeeded']);
  });

  it('a 503 to HEAD, which has no code', () => {
    const report = sent('HEAD');
    report.answered(503);
    report.ended();
    expect(told).toEqual([]);
  });

  it.each<[StoreErrorCode, string | undefined]>([
    ['BUSY', undefined],
    ['FAULT', undefined],
    ['UNSIGNED', undefined],
    ['CIRCUIT_OPEN', undefined],
    ['BROKEN', GIVEN_UP],
  ])('%s (%s)', (code, reason) => {
    sent().failed(new StoreError(code, 'failed', undefined, reason));
    expect(told).toEqual([]);
  });
});
