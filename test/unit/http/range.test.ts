import { describe, expect, it } from 'vitest';
import {
  answersRange,
  containsRange,
  formatContentRange,
  formatUnsatisfiedRange,
  isInexactRange,
  parseContentRange,
  parseRange,
  parseUnsatisfiedRange,
  selectRange,
} from '../../../src/http/range.ts';

/** Row of docs/semantics.md, header, size of the object, and the bytes of the answer: status and Content-Range. */
const rows: [row: string, header: string, sizeBytes: number, status: number, contentRange?: string][] = [
  ['1', 'bytes=0-8', 10, 206, 'bytes 0-8/10'],
  ['2', 'bytes=1-1', 10, 206, 'bytes 1-1/10'],
  ['2', 'bytes=0-0', 10, 206, 'bytes 0-0/10'],
  ['3', 'bytes=1-', 10, 206, 'bytes 1-9/10'],
  ['4', 'bytes=-2', 10, 206, 'bytes 8-9/10'],
  ['5', 'bytes=-15', 10, 206, 'bytes 0-9/10'],
  ['6', 'bytes=0-100', 10, 206, 'bytes 0-9/10'],
  ['7', 'bytes=0-', 10, 206, 'bytes 0-9/10'],
  ['7', 'bytes=0-9', 10, 206, 'bytes 0-9/10'],
  ['9', 'bytes=-0', 10, 416],
  ['10', 'bytes=100-200', 10, 416],
  ['10', 'bytes=10-', 10, 416],
  ['12', 'bytes=5-3', 10, 200],
  ['12', 'bytes=1-0', 10, 200],
  ['13', 'bytes=-1-', 10, 200],
  ['13', 'bytes=0--1', 10, 200],
  ['14', 'bytes=0-1,3-4,7-9', 10, 200],
  ['15', '0-1', 10, 200],
  ['16', 'foo=0-1', 10, 200],
  ['16', 'items=0-1', 10, 200],
  ['17', 'bytes=-', 10, 200],
  ['18', 'bytes=', 100, 200],
  ['18', 'bytes=,', 100, 200],
  ['18', 'bytes=abc', 100, 200],
  ['18', 'bytes=a-z', 100, 200],
  ['18', 'bytes=100-x', 100, 200],
  ['18', 'bytes=5', 100, 200],
  ['19', 'bytes= -1', 100, 200],
  ['19', 'bytes=0 -1', 100, 200],
  ['20', 'bytes=00-01', 100, 206, 'bytes 0-1/100'],
  ['21', 'bytes=+0-1', 100, 200],
  ['22', 'Bytes=0-1', 10, 206, 'bytes 0-1/10'],
  ['23', 'bytes=99999999999999999999-', 10, 416],
  ['23', 'bytes=99999999999999999999-99999999999999999999', 10, 416],
  ['23', `bytes=0-${'9'.repeat(400)}`, 10, 206, 'bytes 0-9/10'],
  ['23', `bytes=-${'9'.repeat(400)}`, 10, 206, 'bytes 0-9/10'],
  ['24', 'bytes=0-0', 0, 416],
  ['24', 'bytes=0-', 0, 416],
  ['24', 'bytes=40-50', 0, 416],
  ['24', 'bytes=-0', 0, 416],
  ['25', 'bytes=-5', 0, 200],
  ['35', 'bytes=0-1, bytes=0-1', 10, 200],
];

function answer(header: string | undefined, sizeBytes: number) {
  const selection = selectRange(parseRange(header), sizeBytes);
  if (selection.kind === 'whole') return { status: 200, contentRange: undefined };
  if (selection.kind === 'unsatisfiable') return { status: 416, contentRange: undefined };
  return { status: 206, contentRange: formatContentRange(selection.first, selection.last, sizeBytes) };
}

describe('the range of a request', () => {
  it.each(rows)('row %s: "%s" of %i bytes is answered with %i', (_row, header, sizeBytes, status, range) => {
    expect(answer(header, sizeBytes)).toEqual({ status, contentRange: range });
  });

  it('is the whole object when there is no header', () => {
    expect(answer(undefined, 10)).toEqual({ status: 200, contentRange: undefined });
  });

  it('saturates numbers that a double cannot hold', () => {
    expect(parseRange('bytes=1-99999999999999999999')).toEqual({
      kind: 'from',
      first: 1,
      last: Number.MAX_SAFE_INTEGER,
    });
  });
});

describe('a Content-Range', () => {
  it('is parsed with and without a total', () => {
    expect(parseContentRange('bytes 0-8/10')).toEqual({ first: 0, last: 8, total: 10 });
    expect(parseContentRange('bytes 3-3/*')).toEqual({ first: 3, last: 3, total: undefined });
  });

  it.each([
    undefined,
    '',
    'bytes',
    'bytes */10',
    'bytes 5-3/10',
    'bytes 0-10/10',
    'bytes 0-9',
    'items 0-9/10',
    'bytes 0-8/9007199254740993',
    'bytes 0-9007199254740993/*',
    'bytes 0-1/10, bytes 2-3/10',
  ])('is not understood as %j', header => {
    expect(parseContentRange(header)).toBeUndefined();
  });

  it('is told apart when a number of it is not exact here', () => {
    expect(isInexactRange('bytes 0-8/9007199254740992')).toBe(true);
    expect(isInexactRange('bytes 0-9007199254740992/*')).toBe(true);
    expect(isInexactRange('bytes 0-8/9007199254740991')).toBe(false);
    expect(isInexactRange('bytes 0-8/*')).toBe(false);
    expect(isInexactRange('items 0-8/9007199254740992')).toBe(false);
    expect(isInexactRange(undefined)).toBe(false);
  });

  it('of a 416 states the length alone', () => {
    expect(formatUnsatisfiedRange(10)).toBe('bytes */10');
    expect(parseUnsatisfiedRange('bytes */10')).toBe(10);
    expect(parseUnsatisfiedRange('bytes 0-1/10')).toBeUndefined();
    expect(parseUnsatisfiedRange('bytes */*')).toBeUndefined();
    expect(parseUnsatisfiedRange(undefined)).toBeUndefined();
  });
});

it.each([
  ['bytes=0-', 'bytes=5-', true],
  ['bytes=0-', 'bytes=-5', true],
  ['bytes=5-', 'bytes=-5', false],
  ['bytes=5-', 'bytes=4-9', false],
  ['bytes=5-', 'bytes=5-9', true],
  ['bytes=5-9', 'bytes=5-9', true],
  ['bytes=5-9', 'bytes=6-10', false],
  ['bytes=5-9', 'bytes=6-', false],
  ['bytes=5-9', '', false],
  ['bytes=-5', 'bytes=-5', true],
  ['bytes=-5', 'bytes=-6', false],
  ['bytes=-5', 'bytes=9-9', false],
  ['', 'bytes=-6', true],
  ['bytes=5-', '', false],
])('%s has all bytes of %s: %s', (outer, inner, isContained) => {
  expect(containsRange(parseRange(outer), parseRange(inner))).toBe(isContained);
});

describe('what came answers what was asked for', () => {
  const answers = (sent: string, asked: string) => {
    const range = parseContentRange(sent);
    return range && answersRange(range, parseRange(asked));
  };

  it.each([
    ['bytes 2-4/10', 'bytes=2-4'],
    ['bytes 8-9/10', 'bytes=8-20'],
    ['bytes 8-9/10', 'bytes=8-'],
    ['bytes 5-9/10', 'bytes=-5'],
    ['bytes 0-9/10', 'bytes=-20'],
    ['bytes 2-4/*', 'bytes=2-4'],
    // the content may be no longer
    ['bytes 2-3/*', 'bytes=2-4'],
    ['bytes 2-9/*', 'bytes=2-'],
    ['bytes 5-9/*', 'bytes=-5'],
    ['bytes 0-1/*', 'bytes=-5'],
  ])('%s to %s', (sent, asked) => {
    expect(answers(sent, asked)).toBe(true);
  });

  it.each([
    ['bytes 0-3/10', 'bytes=1-4'],
    ['bytes 2-3/10', 'bytes=2-4'],
    ['bytes 2-5/10', 'bytes=2-4'],
    ['bytes 8-8/10', 'bytes=8-'],
    ['bytes 0-4/10', 'bytes=-5'],
    ['bytes 4-9/10', 'bytes=-5'],
    ['bytes 9-9/10', 'bytes=-0'],
    ['bytes 3-4/*', 'bytes=2-4'],
    ['bytes 2-5/*', 'bytes=2-4'],
    ['bytes 4-9/*', 'bytes=-5'],
    ['bytes 0-9/10', ''],
    ['bytes 0-9/*', ''],
  ])('not %s to %s', (sent, asked) => {
    expect(answers(sent, asked)).toBe(false);
  });
});
