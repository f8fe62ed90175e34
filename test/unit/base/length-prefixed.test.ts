import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthPrefixed, textsOfName } from '../../../src/base/length-prefixed.ts';

it('the texts of a name are those that it is composed of', () => {
  const text = fc.option(fc.string({ unit: 'binary', maxLength: 20 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), texts => {
      expect(textsOfName(texts.map(lengthPrefixed).join(''))).toEqual(texts);
    }),
  );
});

it.each(['x', '3:ab', '1:a2', '#abc', '1:ax', ':'])('what is no such name has no texts: %s', name => {
  expect(textsOfName(name)).toBeUndefined();
});
