import { expect, it } from 'vitest';
import { parsePartNumber } from '../../../src/s3/part-number.ts';

it.each([
  ['1', 1],
  ['10000', 10_000],
  ['007', 7],
])('rows 43 and 44: part number %s is %d', (text, partNumber) => {
  expect(parsePartNumber(text)).toBe(partNumber);
});

it.each(['', '0', '10001', '-1', '+1', '1e2', '0x1', '1.0', ' 1', '१', '1'.repeat(400)])(
  'rows 43 and 44: %s is none',
  text => {
    expect(() => parsePartNumber(text)).toThrow(
      'Part number must be an integer between 1 and 10000, inclusive',
    );
  },
);
