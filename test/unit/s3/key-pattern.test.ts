import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileKeyPatterns, compileKeyShare } from '../../../src/s3/key-pattern.ts';

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

it.each([
  [['**'], '', 'every'],
  [['public/**'], '', 'some'],
  [['public/**'], 'public/', 'every'],
  [['public/**'], 'pub', 'some'],
  [['public/**'], 'private/', 'none'],
  [['**', '!private/**'], 'private/', 'none'],
  [['**', '!private/**'], 'private/a', 'none'],
  [['**', '!private/**'], 'pri', 'some'],
  [['**', '!private/**'], 'photos/', 'every'],
  [['**', '!private/**', 'private/open/**'], 'private/', 'some'],
  [['**', '!private/**', 'private/open/**'], 'private/open/', 'every'],
  [['**', '!**/*.key'], 'certs/', 'some'],
  [['**', '!**/*.key'], 'certs/server.k', 'some'],
  [['a/*'], 'a/', 'some'],
  [['a/*'], 'a/b/', 'none'],
  [['!a/**', '**'], 'a/', 'every'],
  [['a'], 'a', 'some'],
  [[], 'a', 'none'],
] as const)('%j covers of the keys that begin with %j: %s', (patterns, prefix, expected) => {
  expect(compileKeyShare(patterns)(prefix)).toBe(expected);
});

it('what covers every key that begins so covers each of them, and what covers none covers none', () => {
  const letters = fc.constantFrom('a', 'b', '/');
  const text = fc.string({ unit: letters, maxLength: 6 });
  const piece = fc.oneof(letters, fc.constantFrom('*', '**'));
  const pattern = fc
    .tuple(fc.boolean(), fc.array(piece, { maxLength: 5 }))
    .map(([isExclusion, pieces]) => (isExclusion ? '!' : '') + pieces.join(''));
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 4 }), text, text, (patterns, prefix, rest) => {
      const covered = compileKeyShare(patterns)(prefix);
      const isMeant = compileKeyPatterns(patterns)(prefix + rest);
      if (covered === 'every') expect(isMeant).toBe(true);
      if (covered === 'none') expect(isMeant).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
