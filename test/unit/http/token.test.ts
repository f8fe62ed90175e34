import { expect, it } from 'vitest';
import { isToken } from '../../../src/http/token.ts';

it.each(['etag', 'X-A_b', "!#$%&'*+.^`|~-_9"])('%s is a token', text => {
  expect(isToken(text)).toBe(true);
});

it.each(['', 'a b', 'a:', 'a,b', '"a"', 'é', 'a\n'])('%j is none', text => {
  expect(isToken(text)).toBe(false);
});
