import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileKeyPatterns } from '../../src/s3/key-pattern.ts';

const pieces = fc.array(fc.constantFrom('a', 'b', '/', '.', '*', '**'), { maxLength: 8 });
const keys = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 12 });

/** The same language, as a regular expression. */
function reference(pattern: string): RegExp {
  const source = pattern.replace(/\*{2,}|\*|\./g, token =>
    token === '.' ? '\\.' : token === '*' ? '[^/]*' : '[\\s\\S]*',
  );
  return new RegExp(`^${source}$`);
}

it('a pattern matches what its regular expression matches', () => {
  fc.assert(
    fc.property(pieces, keys, (parts, key) => {
      const pattern = parts.join('');
      expect(compileKeyPatterns([pattern])(key)).toBe(reference(pattern).test(key));
    }),
    { numRuns: 2000 },
  );
});

it('a key made to confuse a pattern costs no more steps than their lengths allow', () => {
  const matches = compileKeyPatterns([`${'**a'.repeat(20)}b`]);
  expect(matches('a'.repeat(1024))).toBe(false);
  expect(matches(`${'a'.repeat(1023)}b`)).toBe(true);
});
