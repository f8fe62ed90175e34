import { expect, it } from 'vitest';
import { mediaTypeOf } from '../../../src/http/media-type.ts';

it.each([
  ['text/html', 'text/html'],
  ['Text/HTML; charset=utf-8', 'text/html'],
  [' image/png ;q=1;b', 'image/png'],
  ['', ''],
])('%j names %j', (contentType, type) => {
  expect(mediaTypeOf(contentType)).toBe(type);
});
