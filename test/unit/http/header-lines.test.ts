import { expect, it } from 'vitest';
import { headerLines, lengthLast } from '../../../src/http/header-lines.ts';

it('a list of headers gives its lines in order', () => {
  expect([...headerLines(['A', '1', 'b', '2'])]).toEqual([
    ['A', '1'],
    ['b', '2'],
  ]);
});

it('a name without a value is no line', () => {
  expect([...headerLines(['A', '1', 'b'])]).toEqual([['A', '1']]);
  expect([...headerLines([])]).toEqual([]);
});

it('row 190: the length comes last', () => {
  expect(lengthLast(['Content-Length', '1', 'etag', 'x', 'x-amz-content-length', '2'])).toEqual([
    ...['etag', 'x', 'x-amz-content-length', '2'],
    ...['Content-Length', '1'],
  ]);
});
