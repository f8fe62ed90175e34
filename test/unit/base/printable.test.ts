import { expect, it } from 'vitest';
import { printable, printableLine } from '../../../src/base/printable.ts';

it('shows what a terminal would obey, and leaves text of any language as it is', () => {
  expect(printableLine('\u001b[31m\u0007\u007f\u009d')).toBe('\\u001b[31m\\u0007\\u007f\\u009d');
  expect(printableLine('a\u202eb\u2066c\u200fd\ufeff')).toBe('a\\u202eb\\u2066c\\u200fd\\ufeff');
  expect(printableLine('Übergröße 日本語 🙂 עברית')).toBe('Übergröße 日本語 🙂 עברית');
});

it('keeps the ends of lines only where the text has several', () => {
  expect(printable('a\n\tb')).toBe('a\n\\u0009b');
  expect(printableLine('a\nb')).toBe('a\\u000ab');
});
