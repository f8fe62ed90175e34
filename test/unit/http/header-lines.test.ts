import { describe, expect, it } from 'vitest';
import { eachHeaderLine, headerLines, lengthLast } from '../../../src/http/header-lines.ts';

describe.each([
  ['iterated', headerLines],
  [
    'visited',
    (raw: readonly string[]) => {
      const lines: [string, string][] = [];
      eachHeaderLine(raw, (name, value) => lines.push([name, value]));
      return lines;
    },
  ],
] as const)('the lines of a list of headers, %s', (_how, linesOf) => {
  it('come in order', () => {
    expect([...linesOf(['A', '1', 'b', '2'])]).toEqual([
      ['A', '1'],
      ['b', '2'],
    ]);
  });

  it('are those with a value', () => {
    expect([...linesOf(['A', '1', 'b'])]).toEqual([['A', '1']]);
    expect([...linesOf([])]).toEqual([]);
  });
});

it('row 190: the length comes last', () => {
  expect(lengthLast(['Content-Length', '1', 'etag', 'x', 'x-amz-content-length', '2'])).toEqual([
    ...['etag', 'x', 'x-amz-content-length', '2'],
    ...['Content-Length', '1'],
  ]);
});
