import { expect, it } from 'vitest';

import { codedTag, uncodedTags, varyByEncoding, withUncodedTags } from '../../../src/http/content-coding.ts';

it('a coded content has the tag of the content with the coding behind it, and is as strong', () => {
  expect(codedTag('"abc"', 'gzip')).toBe('"abc-tidegate-gzip"');
  expect(codedTag('W/"abc"', 'br')).toBe('W/"abc-tidegate-br"');
  expect(codedTag('abc', 'zstd')).toBe('abc-tidegate-zstd');
});

it.each([
  ['"a-tidegate-br"', '"a"'],
  ['W/"a-tidegate-gzip" , "b-tidegate-zstd","c"', 'W/"a" , "b","c"'],
  ['a-tidegate-br', 'a'],
  ['*', '*'],
  ['"a-tidegate-brotli", "-tidegate-br-1"', '"a-tidegate-brotli", "-tidegate-br-1"'],
])('the tags %j were made of %j', (made, of) => {
  expect(uncodedTags(made)).toBe(of);
  expect(withUncodedTags(made)).toBe(made === of ? made : `${made}, ${of}`);
});

it.each([
  [undefined, 'Accept-Encoding'],
  ['', 'Accept-Encoding'],
  ['Origin', 'Origin, Accept-Encoding'],
  ['origin, ACCEPT-encoding', 'origin, ACCEPT-encoding'],
  ['*', '*'],
])('RFC 9110 §12.5.5: Vary %j becomes %j', (vary, expected) => {
  expect(varyByEncoding(vary)).toBe(expected);
});
