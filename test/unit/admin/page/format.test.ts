import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatByteRate,
  formatBytes,
  formatCount,
  formatDuration,
  formatRatio,
  formatTimeOfDay,
  splitUnit,
} from '../../../../src/admin/page/format.js';
import { describeDuration } from '../../../../src/base/time-text.js';

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [0.4, '0 B'],
    [980, '980 B'],
    [1_023, '1023 B'],
    [1_023.7, '1.0 KiB'],
    [1_024, '1.0 KiB'],
    [1_536, '1.5 KiB'],
    [102_348, '99.9 KiB'],
    [102_400, '100 KiB'],
    [1_048_575, '1.0 MiB'],
    [512 * 2 ** 20, '512 MiB'],
    [20 * 2 ** 30, '20.0 GiB'],
    [3 * 2 ** 40, '3.0 TiB'],
    [5000 * 2 ** 50, '5000 PiB'],
  ])('of %d bytes reads %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
    expect(formatByteRate(bytes)).toBe(`${text}/s`);
  });

  it('never reads as 1024 of a unit that has a larger one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2 ** 59, noNaN: true }), bytes => {
        expect(Number.parseFloat(formatBytes(bytes))).toBeLessThan(1_024);
      }),
    );
  });
});

it.each([
  [0, '0'],
  [7, '7'],
  [0.25, '0.3'],
  [12.04, '12'],
  [120.6, '121'],
  [999, '999'],
  [1_234, '1 234'],
  [9_999.4, '9 999'],
  [9_999.6, '10.0 k'],
  [12_345, '12.3 k'],
  [999_960, '1.0 M'],
  [4_200_000_000, '4.2 G'],
])('a count of %d reads %s', (value, text) => {
  expect(formatCount(value)).toBe(text);
});

describe('a ratio', () => {
  it.each([
    [null, '–'],
    [0, '0 %'],
    [1, '100 %'],
    [0.5321, '53.2 %'],
    [0.053, '5.3 %'],
    [0.00142, '0.14 %'],
    [0.000001, '0.0001 %'],
    [0.9997, '99.97 %'],
    [0.99996, '99.996 %'],
    [0.9951, '99.51 %'],
  ])('of %s reads %s', (ratio, text) => {
    expect(formatRatio(ratio)).toBe(text);
  });

  it('reads 0 % and 100 % only when it is none and all', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (part, others) => {
        fc.pre(part > 0 && others > 0);
        expect(['0 %', '100 %']).not.toContain(formatRatio(part / (part + others)));
      }),
    );
  });
});

describe('a duration', () => {
  it.each([
    [null, '–'],
    [0, '0 s'],
    [0.42, '0.42 ms'],
    [2.13, '2.1 ms'],
    [180, '180 ms'],
    [1_540, '1.5 s'],
    [45_000, '45 s'],
    [7_500_000, '2 h 5 min'],
    [93_784_000, '1 d 2 h'],
  ])('of %s ms reads %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it('reads as on cards', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e11, noNaN: true }), durationMs => {
        expect(formatDuration(durationMs)).toBe(describeDuration(durationMs));
      }),
    );
  });
});

it('a time of day is in UTC', () => {
  expect(formatTimeOfDay('2026-01-01T14:30:05+02:00')).toBe('12:30:05');
});

it.each([
  ['1.5 MiB/s', '1.5', 'MiB/s'],
  ['1 234', '1 234', ''],
  ['12.3 k', '12.3', 'k'],
  ['53.2 %', '53.2', '%'],
  ['7', '7', ''],
  ['–', '–', ''],
])('%s is split into figure and unit', (text, figure, unit) => {
  expect(splitUnit(text)).toEqual([figure, unit]);
});
