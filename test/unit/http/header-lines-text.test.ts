import fc from 'fast-check';
import { expect, it } from 'vitest';
import { headerText } from '../../../src/http/header-lines.ts';

it('makes no text of what may not stand in a header', () => {
  expect(headerText(['x', 'a\r\nset-cookie: b'])).toBeUndefined();
  expect(headerText(['x y', 'a'])).toBeUndefined();
  expect(headerText(['', 'a'])).toBeUndefined();
  expect(headerText(['x', '\u0100'])).toBeUndefined();
  expect(headerText(['x', 'caf\u00e9\t"'])).toBe('x: caf\u00e9\t"\r\n');
});

it('never lets a value begin a line of its own', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string({ unit: 'binary' })), { maxLength: 10 }), pairs => {
      const text = headerText(pairs.flat());
      expect(text === undefined || text.split('\r\n').length === pairs.length + 1).toBe(true);
      expect(text === undefined || !/[\0\n]/.test(text.replaceAll('\r\n', ''))).toBe(true);
    }),
  );
});
