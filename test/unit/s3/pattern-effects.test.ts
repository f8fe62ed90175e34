import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileKeyPatterns } from '../../../src/s3/key-pattern.ts';
import { hiddenLists, patternEffects } from '../../../src/s3/pattern-effects.ts';

it.each([
  [['**'], ['decides']],
  [
    ['**', '!private/**'],
    ['decides', 'decides'],
  ],
  [['!private/**'], ['excludes-nothing']],
  [
    ['!private/**', '**'],
    ['overridden', 'decides'],
  ],
  [
    ['public/**', '!private/**'],
    ['decides', 'excludes-nothing'],
  ],
  [
    ['a/*', '!a/**'],
    ['overridden', 'decides'],
  ],
  [
    ['a/**', '!a/*'],
    ['decides', 'decides'],
  ],
  [
    ['a/**', '!a/*', '!a/*/**'],
    ['overridden', 'decides', 'decides'],
  ],
  [
    ['*.jpg', '!*', '!**/*'],
    ['overridden', 'decides', 'excludes-nothing'],
  ],
  [
    ['x', 'x'],
    ['overridden', 'decides'],
  ],
  [
    ['**', '!private/**', 'private/read-me.txt'],
    ['decides', 'decides', 'decides'],
  ],
])('the patterns %j are %j', (patterns, effects) => {
  expect(patternEffects(patterns)).toEqual(effects);
});

it('of two that take the same away the later one decides', () => {
  expect(patternEffects(['a', '!a', '!a'])).toEqual(['overridden', 'overridden', 'decides']);
});

it('gives up on a list that would take long', () => {
  const involved = Array.from(
    { length: 12 },
    (_, index) => `**${'abcdefghijkl'[index]}*a*b*c*d*e*f*${index}`,
  );
  expect(patternEffects(involved)).toBeUndefined();
});

const pattern = fc
  .tuple(fc.constantFrom('', '!'), fc.stringMatching(/^(?:a|b|\/|\*|\*\*){1,4}$/))
  .map(([sign, rest]) => sign + rest);
const patternList = fc.array(pattern, { minLength: 1, maxLength: 4 });

/** All keys of up to five characters; `c` is none that a pattern names. */
const shortKeys = (function* keys(length: number): Generator<string> {
  yield '';
  if (length > 0) for (const rest of keys(length - 1)) for (const first of 'ab/c') yield first + rest;
})(5);
const allShortKeys = [...new Set(shortKeys)];

it('a list without the patterns that decide nothing means the same', () => {
  fc.assert(
    fc.property(patternList, patterns => {
      const effects = patternEffects(patterns) ?? [];
      const full = compileKeyPatterns(patterns);
      const shortened = compileKeyPatterns(patterns.filter((_, index) => effects[index] === 'decides'));
      for (const key of allShortKeys) expect(shortened(key), key).toBe(full(key));
    }),
  );
});

it('a pattern that takes something away is never said to do nothing', () => {
  fc.assert(
    fc.property(patternList, patterns => {
      const effects = patternEffects(patterns) ?? [];
      for (const [index, effect] of effects.entries()) {
        if (effect === 'decides' || !patterns[index]?.startsWith('!')) continue;
        const without = compileKeyPatterns(patterns.filter((_, other) => other !== index));
        const full = compileKeyPatterns(patterns);
        expect(allShortKeys.filter(key => without(key) !== full(key))).toEqual([]);
      }
    }),
  );
});

it.each([
  [[['**'], ['a/**']], [1]],
  [[['a/**'], ['**']], []],
  [[['a/**', '!a/b'], ['a/*']], []],
  [
    [
      ['a/**', '!a/b'],
      ['a/*', '!a/b'],
    ],
    [1],
  ],
  [[['a'], ['b'], ['a', 'b']], [2]],
  [[['a'], ['!a']], []],
  [
    [['a'], ['a'], ['a']],
    [1, 2],
  ],
  [[], []],
])('of the lists %j those at %j never decide', (lists, hidden) => {
  expect(hiddenLists(lists)).toEqual(hidden);
});

it('a list that never decides includes no key that none before it includes', () => {
  fc.assert(
    fc.property(fc.array(patternList, { maxLength: 4 }), lists => {
      const covers = lists.map(patterns => compileKeyPatterns(patterns));
      const hidden = hiddenLists(lists) ?? [];
      const decidesHere = (list: number) =>
        allShortKeys.some(key => covers.findIndex(each => each(key)) === list);
      for (const list of hidden) expect(decidesHere(list)).toBe(false);
      for (const list of lists.keys()) {
        const includes = allShortKeys.some(key => covers[list]?.(key));
        if (includes && !decidesHere(list) && lists.flat().every(each => each.length <= 2))
          expect(hidden).toContain(list);
      }
    }),
  );
});

it('gives up on lists that would take long', () => {
  const involved = Array.from({ length: 12 }, (_, index) => [
    `**${'abcdefghijkl'[index]}*a*b*c*d*e*f*${index}`,
  ]);
  expect(hiddenLists(involved)).toBeUndefined();
});
