import { expect, it } from 'vitest';
import { formatDuration, formatSize, parseDurationMs, parseSizeBytes } from '../../../src/config/units.ts';

it.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5m', 90_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['0s', 0],
  ['10', undefined],
  ['-1s', undefined],
  ['1 s', undefined],
  ['1S', undefined],
  ['0.0001ms', undefined],
  ['1constructor', undefined],
])('reads the duration %s as %s ms', (text, expected) => {
  expect(parseDurationMs(text)).toBe(expected);
});

it.each([
  ['64KiB', 65_536],
  ['1MiB', 1_048_576],
  ['20GiB', 20 * 2 ** 30],
  ['0.5KiB', 512],
  ['1KB', undefined],
  ['1048576', undefined],
])('reads the size %s as %s bytes', (text, expected) => {
  expect(parseSizeBytes(text)).toBe(expected);
});

it('writes amounts in the largest unit that keeps them whole', () => {
  expect([90_000, 60_000, 0, 1].map(formatDuration)).toEqual(['90s', '1m', '0ms', '1ms']);
  expect([2 ** 20, 1_536, 1_025].map(formatSize)).toEqual(['1MiB', '1536B', '1025B']);
});
