import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileKeyPatterns, compileKeyShare } from '../../src/s3/key-pattern.ts';

/** Units that a matcher may take for something else: line ends, halves of surrogate pairs, what means something in other patterns. */
const units = [
  'a',
  'b',
  '/',
  '.',
  '\n',
  '\r',
  '\u2028',
  '\ud83d',
  '\ude00',
  '\ud83e',
  '\0',
  '\x7f',
  '\x80',
  'é',
];
const unit = fc.constantFrom(...units);
const text = (maxLength: number) => fc.array(unit, { maxLength }).map(parts => parts.join(''));
const piece = fc.oneof(
  { weight: 3, arbitrary: unit },
  { weight: 2, arbitrary: fc.constantFrom('*', '**', '***') },
  { weight: 1, arbitrary: fc.constantFrom('?', '[', '\\', '$', '^', '!', '(', '|') },
);
const patternOf = (maxLength: number) => fc.array(piece, { maxLength }).map(parts => parts.join(''));

/** The same verdict by trying everything: a star matches nothing, or one character and then what is left of it. */
function matchesByTrying(pattern: string, key: string): boolean {
  const tokens = pattern.match(/\*{2,}|[\s\S]/g) ?? [];
  const known = new Map<number, boolean>();
  const matchesFrom = (token: number, at: number): boolean => {
    const place = token * (key.length + 1) + at;
    const before = known.get(place);
    if (before !== undefined) return before;
    const verdict = tries(token, at);
    known.set(place, verdict);
    return verdict;
  };
  const tries = (token: number, at: number): boolean => {
    const wanted = tokens[token];
    if (wanted === undefined) return at === key.length;
    const isStar = wanted.startsWith('*');
    if (isStar && matchesFrom(token + 1, at)) return true;
    if (at === key.length) return false;
    if (!isStar) return wanted === key.charAt(at) && matchesFrom(token + 1, at + 1);
    return (wanted !== '*' || key.charAt(at) !== '/') && matchesFrom(token, at + 1);
  };
  return matchesFrom(0, 0);
}

/** A key that a pattern may well match: stars filled in, and now and then one character changed. */
const keyFor = (pattern: string) =>
  fc
    .tuple(fc.array(text(6), { minLength: 1, maxLength: 8 }), fc.nat(), fc.option(unit, { freq: 3 }))
    .map(([fillings, at, changed]) => {
      let next = 0;
      const key = pattern.replace(/\*+/g, () => fillings[next++ % fillings.length] ?? '');
      if (changed === null || key === '') return key;
      const place = at % key.length;
      return key.slice(0, place) + changed + key.slice(place + 1);
    });

it.each([
  ['short', 8],
  ['longer than one word of states', 80],
])('%s patterns match what trying everything matches', (_name, maxLength) => {
  let matched = 0;
  let unmatched = 0;
  fc.assert(
    fc.property(
      patternOf(maxLength).filter(pattern => !pattern.startsWith('!')),
      fc.context(),
      fc.gen(),
      (pattern, context, generate) => {
        for (const key of [generate(text, 20), generate(keyFor, pattern)]) {
          const expected = matchesByTrying(pattern, key);
          context.log(JSON.stringify({ pattern, key, expected }));
          expect(compileKeyPatterns([pattern])(key)).toBe(expected);
          if (expected) matched++;
          else unmatched++;
        }
      },
    ),
    { numRuns: 1_500 },
  );
  // both verdicts were asked for
  expect(Math.min(matched, unmatched)).toBeGreaterThan(250);
});

it('a matcher keeps nothing of the key before', () => {
  fc.assert(
    fc.property(patternOf(40), fc.array(text(12), { maxLength: 6 }), (pattern, keys) => {
      const matches = compileKeyPatterns([pattern]);
      expect(keys.map(matches)).toEqual(keys.map(key => compileKeyPatterns([pattern])(key)));
    }),
    { numRuns: 500 },
  );
});

it('what a list covers of the keys that begin so is what it says of each key', () => {
  const letters = fc.constantFrom('a', '/', '\n');
  const pieces = fc.array(fc.oneof(letters, fc.constantFrom('*', '**')), { maxLength: 6 });
  const pattern = fc.tuple(fc.boolean(), pieces).map(([takes, parts]) => (takes ? '!' : '') + parts.join(''));
  const key = fc.string({ unit: letters, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 4 }), key, key, (patterns, prefix, rest) => {
      const covered = compileKeyShare(patterns)(prefix);
      const isMeant = compileKeyPatterns(patterns)(prefix + rest);
      if (covered === 'every') expect(isMeant).toBe(true);
      if (covered === 'none') expect(isMeant).toBe(false);
    }),
    { numRuns: 1_500 },
  );
});

it.each([1, 2, 15, 16, 29, 30, 31, 32, 33, 63, 64, 65, 200])(
  'stars and characters at the ends of words of states, in a pattern of %i tokens',
  count => {
    const letters = Array.from({ length: count }, (_, index) => String.fromCharCode(0x100 + index));
    for (let star = 0; star < count; star++) {
      const matches = compileKeyPatterns([`**|${letters.with(star, '**').join('')}`]);
      const key = (filling: string) => `x/|${letters.with(star, filling).join('')}`;
      const verdicts = [key(''), key('x'), key('x/y'), `${key('x')}z`, key('x').slice(0, -1)].map(matches);
      const isLast = star === count - 1;
      expect([star, ...verdicts]).toEqual([star, true, true, true, isLast, isLast]);
    }
  },
);

it('a key made to confuse a pattern costs no more steps than their lengths allow', () => {
  const pattern = `${'**a'.repeat(20)}b`;
  const matches = compileKeyPatterns([pattern]);
  expect(matches('a'.repeat(1024))).toBe(false);
  expect(matches(`${'a'.repeat(1023)}b`)).toBe(true);
  // this one ends as the pattern does, so that no look at its end spares the rest
  expect(matches(`${'a'.repeat(500)}/${'a'.repeat(18)}cb`)).toBe(false);
  const mixed = compileKeyPatterns([`${'**a*a'.repeat(40)}*b`]);
  expect(mixed(`${'a'.repeat(1000)}/${'a'.repeat(22)}b`)).toBe(true);
  expect(mixed(`${'a/'.repeat(511)}b`)).toBe(false);
});
