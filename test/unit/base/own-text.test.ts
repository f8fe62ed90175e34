import { expect, it } from 'vitest';
import { ownText } from '../../../src/base/own-text.ts';
import { keptBytesOf } from '../../support/kept-bytes.ts';

it('is the same text, and keeps nothing of what it was cut from', () => {
  for (const text of ['', 'a', 'a version of some object', '\u{1f600} \ud800'])
    expect(ownText(text)).toBe(text);
  expect(keptBytesOf(url => url.slice(1, 30))).toBeGreaterThan(7_000);
  expect(keptBytesOf(url => ownText(url.slice(1, 30)))).toBeLessThan(1_000);
});
