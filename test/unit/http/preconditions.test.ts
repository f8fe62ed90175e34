import { describe, expect, it } from 'vitest';
import { formatHttpDate } from '../../../src/http/http-date.ts';
import {
  type Conditions,
  evaluatePreconditions,
  ifRangeHolds,
  strongValidators,
} from '../../../src/http/preconditions.ts';

const hourMs = 3_600_000;
const modifiedMs = Date.UTC(2024, 4, 1, 12, 0, 0);
const nowMs = modifiedMs + 24 * hourMs;
const current = { entityTag: '"abc"', lastModifiedMs: modifiedMs };

const before = formatHttpDate(modifiedMs - hourMs);
const same = formatHttpDate(modifiedMs);
const after = formatHttpDate(modifiedMs + hourMs);

const nothing: Conditions = {
  ifMatch: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
};

function evaluate(conditions: Partial<Conditions>, validators = current): string {
  const verdict = evaluatePreconditions({ ...nothing, ...conditions }, validators, nowMs);
  return verdict.kind === 'failed' ? `failed ${verdict.condition}` : verdict.kind;
}

const rows: [row: string, conditions: Partial<Conditions>, verdict: string][] = [
  ['56', { ifMatch: '"abc"' }, 'proceed'],
  ['57', { ifMatch: 'abc' }, 'proceed'],
  ['58', { ifNoneMatch: 'abc' }, 'not-modified'],
  ['59', { ifMatch: '"other"' }, 'failed If-Match'],
  ['61', { ifMatch: '*' }, 'proceed'],
  ['62', { ifNoneMatch: '*' }, 'not-modified'],
  ['63', { ifMatch: '*', ifNoneMatch: '*' }, 'not-modified'],
  ['64', { ifMatch: '"x", "abc"' }, 'proceed'],
  ['64', { ifMatch: '"x", "y"' }, 'failed If-Match'],
  ['65', { ifNoneMatch: '"x","abc"' }, 'not-modified'],
  ['65', { ifNoneMatch: '"x", "y"' }, 'proceed'],
  ['66', { ifNoneMatch: 'W/"abc"' }, 'not-modified'],
  ['67', { ifMatch: 'W/"abc"' }, 'failed If-Match'],
  ['68', { ifUnmodifiedSince: before }, 'failed If-Unmodified-Since'],
  ['69', { ifModifiedSince: after }, 'not-modified'],
  ['69', { ifModifiedSince: before }, 'proceed'],
  ['70', { ifModifiedSince: same }, 'not-modified'],
  ['71', { ifUnmodifiedSince: same }, 'proceed'],
  ['72', { ifMatch: '"abc"', ifUnmodifiedSince: before }, 'proceed'],
  ['73', { ifMatch: '"abc"', ifModifiedSince: after }, 'not-modified'],
  ['74', { ifMatch: '"other"', ifNoneMatch: '"abc"' }, 'failed If-Match'],
  ['75', { ifUnmodifiedSince: before, ifNoneMatch: '"abc"' }, 'failed If-Unmodified-Since'],
  ['76', { ifUnmodifiedSince: before, ifNoneMatch: '"other"' }, 'failed If-Unmodified-Since'],
  ['77', { ifNoneMatch: '"other"', ifModifiedSince: after }, 'proceed'],
  ['78', { ifNoneMatch: '"abc"', ifModifiedSince: before }, 'not-modified'],
  ['79', { ifModifiedSince: formatHttpDate(nowMs + 24 * hourMs) }, 'proceed'],
  ['79', { ifModifiedSince: formatHttpDate(nowMs + 1000) }, 'proceed'],
  ['79', { ifModifiedSince: formatHttpDate(nowMs) }, 'not-modified'],
  ['80', { ifUnmodifiedSince: formatHttpDate(nowMs + 24 * hourMs) }, 'proceed'],
  ['81', { ifModifiedSince: 'tomorrow' }, 'proceed'],
  ['82', { ifUnmodifiedSince: 'yesterday' }, 'proceed'],
  ['83', { ifModifiedSince: 'Thursday, 02-May-24 00:00:00 GMT' }, 'not-modified'],
  ['83', { ifModifiedSince: 'Thu May  2 00:00:00 2024' }, 'not-modified'],
  ['92', { ifMatch: '' }, 'proceed'],
  ['92', { ifNoneMatch: '' }, 'proceed'],
  ['285', { ifMatch: '"abc"', ifNoneMatch: '"abc"' }, 'not-modified'],
];

describe('the conditions of a request', () => {
  it.each(rows)('row %s: %j is %s', (_row, conditions, verdict) => {
    expect(evaluate(conditions)).toBe(verdict);
  });

  it('may be missing altogether', () => {
    expect(evaluate({})).toBe('proceed');
  });

  it('drop the part of a second that headers cannot carry (row 71)', () => {
    const finer = { ...current, lastModifiedMs: modifiedMs + 700 };
    expect(evaluate({ ifUnmodifiedSince: same }, finer)).toBe('proceed');
    expect(evaluate({ ifModifiedSince: same }, finer)).toBe('not-modified');
  });

  it('with an empty If-Match leave If-Unmodified-Since in force', () => {
    expect(evaluate({ ifMatch: '', ifUnmodifiedSince: before })).toBe('failed If-Unmodified-Since');
  });

  it('about dates are ignored for an object without one (RFC 9110 §13.1.3, §13.1.4)', () => {
    const undated = { entityTag: '"abc"', lastModifiedMs: undefined };
    const evaluated = (conditions: Partial<Conditions>) =>
      evaluatePreconditions({ ...nothing, ...conditions }, undated, nowMs).kind;
    expect(evaluated({ ifModifiedSince: after })).toBe('proceed');
    expect(evaluated({ ifUnmodifiedSince: before })).toBe('proceed');
  });

  it('about tags hold for a star and for nothing else when the object has no tag', () => {
    const untagged = { entityTag: undefined, lastModifiedMs: modifiedMs };
    const evaluated = (conditions: Partial<Conditions>) =>
      evaluatePreconditions({ ...nothing, ...conditions }, untagged, nowMs).kind;
    expect(evaluated({ ifMatch: '*' })).toBe('proceed');
    expect(evaluated({ ifMatch: '"abc"' })).toBe('failed');
    expect(evaluated({ ifNoneMatch: '"abc"' })).toBe('proceed');
    expect(evaluated({ ifNoneMatch: '*' })).toBe('not-modified');
  });

  it('compare weakly with a weak tag of the object in If-None-Match only', () => {
    const weak = { ...current, entityTag: 'W/"abc"' };
    expect(evaluate({ ifNoneMatch: '"abc"' }, weak)).toBe('not-modified');
    expect(evaluate({ ifMatch: '"abc"' }, weak)).toBe('failed If-Match');
    expect(evaluate({ ifMatch: 'W/"abc"' }, weak)).toBe('failed If-Match');
  });
});

/**
 * Row 286: all 81 combinations. Lines: If-Match and If-Unmodified-Since; columns: If-None-Match and
 * If-Modified-Since; `-` absent, `t` true, `f` false.
 */
const truthTable = `
     | --  -t  -f  t-  tt  tf  f-  ft  ff
  -- | 200 200 304 200 200 200 304 304 304
  -t | 200 200 304 200 200 200 304 304 304
  -f | 412 412 412 412 412 412 412 412 412
  t- | 200 200 304 200 200 200 304 304 304
  tt | 200 200 304 200 200 200 304 304 304
  tf | 200 200 304 200 200 200 304 304 304
  f- | 412 412 412 412 412 412 412 412 412
  ft | 412 412 412 412 412 412 412 412 412
  ff | 412 412 412 412 412 412 412 412 412`;

const [columns = [], ...lines] = truthTable
  .trim()
  .split('\n')
  .map(line => line.trim().split(/[\s|]+/));
const cells = lines.flatMap(([line = '', ...statuses]) =>
  statuses.map((status, index) => ({ line, column: columns[index + 1] ?? '', status })),
);

const pick = (sign: string | undefined, whenTrue: string, whenFalse: string) =>
  sign === 't' ? whenTrue : sign === 'f' ? whenFalse : undefined;

const statusOf = { proceed: '200', 'not-modified': '304', failed: '412' };

describe('the truth table of row 286', () => {
  it('has 81 cells', () => {
    expect(new Set(cells.map(({ line, column }) => line + column)).size).toBe(81);
  });

  it.each(cells)('$line with $column is $status', ({ line, column, status }) => {
    const conditions = {
      ifMatch: pick(line[0], '"abc"', '"other"'),
      ifUnmodifiedSince: pick(line[1], after, before),
      ifNoneMatch: pick(column[0], '"other"', '"abc"'),
      ifModifiedSince: pick(column[1], before, after),
    };
    expect(statusOf[evaluatePreconditions(conditions, current, nowMs).kind]).toBe(status);
  });
});

describe('If-Range', () => {
  it.each([
    ['absent', undefined, true],
    ['the current tag (row 31)', '"abc"', true],
    ['an older tag (row 32)', '"old"', false],
    ['a weak tag (row 33)', 'W/"abc"', false],
    ['the exact date (row 33)', same, true],
    ['an earlier date', before, false],
    ['a later date', after, false],
    ['neither tag nor date', 'abc', false],
    ['empty', '', false],
  ])('%s: %j obeys the range: %s', (_case, header, holds) => {
    expect(ifRangeHolds(header, current)).toBe(holds);
  });

  it('never holds against a weak tag or a missing validator', () => {
    expect(ifRangeHolds('"abc"', { entityTag: 'W/"abc"', lastModifiedMs: undefined })).toBe(false);
    expect(ifRangeHolds('"abc"', { entityTag: undefined, lastModifiedMs: undefined })).toBe(false);
    for (const header of [same, 'neither tag nor date', ''])
      expect(ifRangeHolds(header, { entityTag: '"abc"', lastModifiedMs: undefined }), header).toBe(false);
  });

  it.each([
    ['less than a minute after it', 59_000, false],
    ['a minute after it', 60_000, true],
    ['before it', -60_000, false],
  ])('holds by a Last-Modified of what a cache got %s: %d ms, %s', (_case, afterMs, holds) => {
    const untagged = { entityTag: undefined, lastModifiedMs: modifiedMs };
    expect(ifRangeHolds(same, strongValidators(untagged, modifiedMs + afterMs))).toBe(holds);
    expect(ifRangeHolds(same, strongValidators(untagged, undefined))).toBe(false);
    expect(ifRangeHolds('"abc"', strongValidators(current, modifiedMs + afterMs))).toBe(true);
  });
});
