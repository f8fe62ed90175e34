import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Text } from '../../../src/http/utf8-text.ts';

it('gives back any text that was sent as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      expect(utf8Text(Buffer.from(text).toString('latin1'))).toBe(text.toWellFormed());
    }),
  );
});

it.each(['caf\xe9', '\xff', '\xc3', 'plain', ''])(
  '%j, which is no UTF-8 or ASCII alone, is what it was',
  value => {
    expect(utf8Text(value)).toBe(value);
  },
);
