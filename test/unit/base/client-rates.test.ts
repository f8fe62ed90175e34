import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { ClientRates } from '../../../src/base/client-rates.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let clock: ManualClock;
let rates: ClientRates;

beforeEach(() => {
  clock = new ManualClock();
  clock.advance(5_000);
  rates = new ClientRates(1_000, clock);
});

it('a second’s worth may be had at once, and the rest at the rate', () => {
  expect(rates.reserve('a', 1_000)).toBe(0);
  expect(rates.waitMs('a')).toBe(0);
  expect(rates.reserve('a', 500)).toBe(0);
  expect(rates.waitMs('a')).toBe(500);
  expect(rates.reserve('a', 250)).toBe(500);
  expect(rates.reserve('a', 250)).toBe(750);
  clock.advance(1_000);
  expect(rates.waitMs('a')).toBe(0);
});

it('clients do not wait for each other', () => {
  rates.reserve('a', 100_000);
  expect(rates.reserve('b', 1)).toBe(0);
});

it('what was given back is there for others of the client', () => {
  rates.reserve('a', 2_000);
  expect(rates.reserve('a', 5_000)).toBe(1_000);
  rates.giveBack('a', 5_000);
  expect(rates.reserve('a', 1)).toBe(1_000);
});

it('in no stretch of time a client gets more than the rate, a burst and a piece', () => {
  const use = fc.record({ pauseMs: fc.nat(3_000), sizeBytes: fc.integer({ min: 1, max: 800 }) });
  fc.assert(
    fc.property(fc.array(use, { minLength: 1, maxLength: 40 }), uses => {
      const own = new ManualClock();
      const limited = new ClientRates(1_000, own);
      const had: { readonly atMs: number; readonly sizeBytes: number }[] = [];
      for (const { pauseMs, sizeBytes } of uses) {
        own.advance(pauseMs);
        had.push({ atMs: own.monotonicMs() + limited.reserve('a', sizeBytes), sizeBytes });
      }
      for (const { atMs: fromMs } of had)
        for (const { atMs: toMs } of had) {
          const inBetween = had.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
          const bytes = inBetween.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          expect(bytes).toBeLessThanOrEqual(Math.max(0, toMs - fromMs) + 1_000 + 800 + 1e-6);
        }
    }),
  );
});

it('what a client has had unasked keeps it waiting for a minute at most', () => {
  for (let count = 0; count < 10; count++) rates.charge('a', 1_000_000);
  expect(rates.waitMs('a')).toBe(60_000);
});

it('only some ten thousand clients are remembered, those that used something last among them', () => {
  for (let client = 0; client < 200_000; client++) rates.reserve(`client-${client}`, 2_000);
  expect(rates.clients).toBeLessThanOrEqual(65_536);
  for (let client = 199_999; client > 199_999 - 32_000; client--)
    expect(rates.waitMs(`client-${client}`)).toBe(1_000);
});

it('without a limit nothing is counted, and a new limit holds for the next', () => {
  rates.limit(0);
  expect([rates.reserve('a', 1e9), rates.waitMs('a'), rates.clients]).toEqual([0, 0, 0]);
  rates.limit(100);
  rates.reserve('a', 200);
  expect(rates.waitMs('a')).toBe(1_000);
});
