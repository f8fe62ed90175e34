import { beforeEach, describe, expect, it } from 'vitest';
import { Breaker, type BreakerChange } from '../../../../src/backend/breaker/breaker.ts';
import { allocateBreakers, type BreakerWords } from '../../../../src/backend/breaker/breaker-word.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const settings = {
  threshold: 0.5,
  minRequests: 20,
  windowMs: 10_000,
  openMs: 5_000,
  probes: 3,
  probeMs: 15_000,
};
let clock: ManualClock;
let words: BreakerWords;
let changes: BreakerChange[];

beforeEach(() => {
  clock = new ManualClock();
  words = allocateBreakers(2);
  changes = [];
});

function newBreaker(address = 0, index = 0): Breaker {
  return new Breaker({ settings, words, index, address, clock, changed: change => changes.push(change) });
}

function failTwenty(breaker: Breaker): void {
  for (let call = 0; call < 20; call++) breaker.failed(undefined);
}

function tryOnce(breaker: Breaker, end: 'succeeded' | 'failed'): void {
  expect(breaker.admit()).toBe('try');
  breaker.tried(end);
}

describe('it opens', () => {
  it('when as many calls as are needed have failed, and no sooner', () => {
    const breaker = newBreaker();
    for (let call = 0; call < 19; call++) breaker.failed(undefined);
    expect(breaker.admit()).toBe('send');
    breaker.failed(undefined);
    expect(breaker.admit()).toBe('refuse');
    expect(changes).toEqual([{ to: 'open', calls: 20, failures: 20 }]);
  });

  it('when half of many calls fail, not when a little less do', () => {
    const breaker = newBreaker();
    for (let call = 0; call < 51; call++) breaker.succeeded();
    for (let call = 0; call < 50; call++) breaker.failed(undefined);
    expect(breaker.state.kind).toBe('closed');
    breaker.failed(undefined);
    expect(breaker.state.kind).toBe('open');
  });

  it('for failures of many objects, not for those of a few that are asked for again and again', () => {
    const breaker = newBreaker();
    for (let call = 0; call < 600; call++) breaker.failed(`bad ${call % 6}`);
    expect(breaker.state.kind).toBe('closed');
    for (let call = 0; call < 2; call++) breaker.failed(`another ${call}`);
    expect(breaker.state.kind).toBe('open');
  });

  it('for what happened within the window', () => {
    const breaker = newBreaker();
    for (let call = 0; call < 19; call++) breaker.failed(undefined);
    clock.advance(10_000);
    for (let call = 0; call < 19; call++) breaker.failed(undefined);
    expect(breaker.state.kind).toBe('closed');
  });

  it('in all threads at once, and is told once', () => {
    const [one, other] = [newBreaker(), newBreaker()];
    failTwenty(one);
    expect([one.admit(), other.admit()]).toEqual(['refuse', 'refuse']);
    failTwenty(other);
    expect(changes.map(({ to }) => to)).toEqual(['open']);
  });

  it('for one store alone', () => {
    failTwenty(newBreaker(0, 0));
    expect(newBreaker(0, 1).admit()).toBe('send');
  });

  it('for the address that failed, not for one that a reload has given the store', () => {
    failTwenty(newBreaker(0));
    expect(newBreaker(1).admit()).toBe('send');
  });

  it('and has told whoever wants to know, in the thread that opened it', () => {
    let told = 0;
    const breaker = newBreaker();
    breaker.onOpen(() => told++);
    failTwenty(breaker);
    expect(told).toBe(1);
  });
});

describe('once it is open', () => {
  let breaker: Breaker;

  beforeEach(() => {
    breaker = newBreaker();
    failTwenty(breaker);
    changes = [];
  });

  it('it refuses calls for the configured time, then lets as many through as probes are configured', () => {
    clock.advance(4_999);
    expect([breaker.isRefusing, breaker.admit()]).toEqual([true, 'refuse']);
    clock.advance(1);
    expect(breaker.isRefusing).toBe(false);
    expect([1, 2, 3, 4].map(() => breaker.admit())).toEqual(['try', 'try', 'try', 'refuse']);
  });

  it('it closes when the probes have succeeded, and counts from zero again in every thread', () => {
    const other = newBreaker();
    for (let call = 0; call < 19; call++) other.failed(undefined);
    clock.advance(5_000);
    for (let call = 0; call < 3; call++) tryOnce(breaker, 'succeeded');
    expect(changes.map(({ to }) => to)).toEqual(['half-open', 'closed']);
    other.failed(undefined);
    breaker.failed(undefined);
    expect(breaker.admit()).toBe('send');
  });

  it('it opens for as long again when a probe fails', () => {
    clock.advance(5_000);
    tryOnce(breaker, 'succeeded');
    tryOnce(breaker, 'failed');
    clock.advance(4_999);
    expect(breaker.admit()).toBe('refuse');
    clock.advance(1);
    expect(breaker.admit()).toBe('try');
  });

  it('a probe that was given up makes room for another', () => {
    clock.advance(5_000);
    for (let call = 0; call < 3; call++) breaker.admit();
    expect(breaker.admit()).toBe('refuse');
    breaker.tried('dropped');
    expect(breaker.admit()).toBe('try');
  });

  it('probes that never end, as their worker died, are waited for no longer than a call may take', () => {
    clock.advance(5_000);
    for (let call = 0; call < 3; call++) breaker.admit();
    clock.advance(14_999);
    expect(breaker.admit()).toBe('refuse');
    clock.advance(1);
    expect(breaker.admit()).toBe('try');
  });
});
