import { expect, it } from 'vitest';
import { parseContentLength } from '../../../src/http/content-length.ts';

it('is a number of bytes that is exact', () => {
  expect(parseContentLength('0')).toBe(0);
  expect(parseContentLength('00012')).toBe(12);
  expect(parseContentLength('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
});

it.each([undefined, '', '-1', '+1', '1.5', '1e3', '0x10', '5, 5', ' 5', '9007199254740992', '9'.repeat(400)])(
  'is not known from %j',
  header => {
    expect(parseContentLength(header)).toBeUndefined();
  },
);
