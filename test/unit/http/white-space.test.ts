import { expect, it } from 'vitest';
import { withoutWhiteSpace } from '../../../src/http/white-space.ts';

it.each([
  ['', ''],
  [' \t', ''],
  ['a', 'a'],
  [' \ta b\t ', 'a b'],
  ['\xA0a\xA0', '\xA0a\xA0'],
  ['\va\f', '\va\f'],
])('%j is %j without spaces and tabs around it (RFC 9110 §5.6.3)', (text, without) => {
  expect(withoutWhiteSpace(text)).toBe(without);
});
