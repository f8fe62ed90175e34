import { describe, expect, it } from 'vitest';
import { compileKeyPatterns } from '../../../src/s3/key-pattern.ts';

describe('compileKeyPatterns', () => {
  it.each([
    ['**', 'a/b', true],
    ['**', '', true],
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', false],
    ['a/b', 'A/b', false],
    ['static/**', 'static/a/b', true],
    ['static/**', 'static/', true],
    ['static/**', 'static', false],
    ['static/*', 'static/a', true],
    ['static/*', 'static/a/b', false],
    ['*.jpg', 'a.jpg', true],
    ['*.jpg', '.jpg', true],
    ['*.jpg', 'a/b.jpg', false],
    ['**.jpg', 'a/b.jpg', true],
    ['**/*.jpg', 'a/b/c.jpg', true],
    ['**/*.jpg', 'c.jpg', false],
    ['a*b**c', 'a1b/2/c', true],
    ['a*b**c', 'a/b/2/c', false],
    ['***', 'a/b', true],
    ['a*', 'a\nb', true],
    ['a.c', 'abc', false],
    ['[a-z]?', 'b1', false],
    ['[a-z]?', '[a-z]?', true],
    ['*é*', 'caf\u00e9😀', true],
    ['!a', 'b', false],
  ])('%s and the key %j: %j', (pattern, key, expected) => {
    expect(compileKeyPatterns([pattern])(key)).toBe(expected);
  });

  it('lets the last pattern that matches decide', () => {
    const matches = compileKeyPatterns(['**', '!private/**', 'private/open.txt']);
    expect(['a', 'private/b', 'private/open.txt', 'private'].map(matches)).toEqual([true, false, true, true]);
  });

  it('names no key when there are no patterns', () => {
    expect(compileKeyPatterns([])('a')).toBe(false);
  });
});
