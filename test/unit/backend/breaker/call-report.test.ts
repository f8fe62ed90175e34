import { beforeEach, describe, expect, it } from 'vitest';
import { Breaker } from '../../../../src/backend/breaker/breaker.ts';
import { allocateBreakers } from '../../../../src/backend/breaker/breaker-word.ts';
import { CallReport } from '../../../../src/backend/breaker/call-report.ts';
import { GIVEN_UP, NO_ANSWER, StoreError, type StoreErrorCode } from '../../../../src/backend/store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let breaker: Breaker;

beforeEach(() => {
  clock = new ManualClock();
  breaker = new Breaker({
    // a single failure opens it
    settings: { threshold: 0.5, minRequests: 1, windowMs: 10_000, openMs: 5_000, probes: 1, probeMs: 15_000 },
    words: allocateBreakers(1),
    ...{ index: 0, address: 0, clock, changed: () => undefined },
  });
});

function sent(method = 'GET'): CallReport {
  const report = new CallReport(breaker, { method }, 'object');
  expect(report.admit()).toBe(true);
  return report;
}

describe('a failure of the store is', () => {
  it.each([500, 502, 504, 599])('an answer with %s', status => {
    sent().answered(status);
    expect(breaker.state.kind).toBe('open');
  });

  it.each<[StoreErrorCode, string | undefined]>([
    ['UNREACHABLE', undefined],
    ['TIMEOUT', undefined],
    ['BROKEN', undefined],
    ['INVALID', undefined],
    ['BUSY', NO_ANSWER],
  ])('%s', (code, reason) => {
    sent().failed(new StoreError(code, 'failed', undefined, reason));
    expect(breaker.state.kind).toBe('open');
  });

  it.each(['<Error><Code>ServiceUnavailable</Code></Error>', 'no server is up', ''])(
    'a 503 that says %j',
    body => {
      const report = sent();
      report.answered(503);
      expect(breaker.state.kind).toBe('closed');
      report.arrived(Buffer.from(body));
      report.ended();
      expect(breaker.state.kind).toBe('open');
    },
  );

  it('a 503 whose body goes on and on', () => {
    const report = sent();
    report.answered(503);
    for (let chunk = 0; chunk < 3; chunk++) report.arrived(Buffer.alloc(1_024, ' '));
    expect(breaker.state.kind).toBe('open');
  });
});

describe('no failure of the store is', () => {
  it.each([200, 206, 304, 400, 403, 404, 412, 416, 429, 501])('an answer with %s', status => {
    const report = sent();
    report.answered(status);
    report.ended();
    expect(breaker.state.kind).toBe('closed');
  });

  it('a 503 that says SlowDown, in pieces too', () => {
    const report = sent();
    report.answered(503);
    report.arrived(Buffer.from('<Error><Code>Slow'));
    report.arrived(Buffer.from('Down</Code></Error>'));
    report.ended();
    expect(breaker.state.kind).toBe('closed');
  });

  it('a 503 to HEAD, which has no code', () => {
    const report = sent('HEAD');
    report.answered(503);
    report.ended();
    expect(breaker.state.kind).toBe('closed');
  });

  it.each<[StoreErrorCode, string | undefined]>([
    ['BUSY', undefined],
    ['FAULT', undefined],
    ['UNSIGNED', undefined],
    ['CIRCUIT_OPEN', undefined],
    ['BROKEN', GIVEN_UP],
  ])('%s (%s)', (code, reason) => {
    sent().failed(new StoreError(code, 'failed', undefined, reason));
    expect(breaker.state.kind).toBe('closed');
  });

  it('a client that leaves', () => {
    sent().dropped();
    expect(breaker.state.kind).toBe('closed');
  });
});

describe('a call that tries the store', () => {
  function trial(): CallReport {
    sent().answered(500);
    clock.advance(5_000);
    const report = sent();
    expect(new CallReport(breaker, { method: 'GET' }, 'other').admit()).toBe(false);
    return report;
  }

  it('closes the breaker as soon as it is answered', () => {
    trial().answered(200);
    expect(breaker.state.kind).toBe('closed');
  });

  it('leaves its place to another when it is given up, once', () => {
    const report = trial();
    report.dropped();
    report.dropped();
    expect(breaker.state).toMatchObject({ kind: 'half-open', running: 0 });
    sent();
  });

  it('may be repeated, which other calls may not while the breaker is open', () => {
    const before = sent();
    expect(before.mayBeRepeated()).toBe(true);
    const report = trial();
    expect([report.mayBeRepeated(), before.mayBeRepeated()]).toEqual([true, false]);
  });
});
