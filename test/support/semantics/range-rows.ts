/** Rows of docs/semantics.md, section 1, asked of an object of ten digits and of an empty one. */
export const TEN_DIGITS = '0123456789';

type Row<Columns extends readonly unknown[]> = readonly [row: number, ...Columns];

/** Of the ten digits: what a range selects. */
export const selectingRanges: Row<[range: string, contentRange: string, body: string]>[] = [
  [1, 'bytes=0-8', 'bytes 0-8/10', '012345678'],
  [2, 'bytes=1-1', 'bytes 1-1/10', '1'],
  [2, 'bytes=0-0', 'bytes 0-0/10', '0'],
  [3, 'bytes=1-', 'bytes 1-9/10', '123456789'],
  [4, 'bytes=-2', 'bytes 8-9/10', '89'],
  [5, 'bytes=-15', 'bytes 0-9/10', TEN_DIGITS],
  [6, 'bytes=0-100', 'bytes 0-9/10', TEN_DIGITS],
  [7, 'bytes=0-', 'bytes 0-9/10', TEN_DIGITS],
  [7, 'bytes=0-9', 'bytes 0-9/10', TEN_DIGITS],
  [20, 'bytes=00-01', 'bytes 0-1/10', '01'],
  [22, 'Bytes=0-1', 'bytes 0-1/10', '01'],
];

/** What is no range, so that the whole object is answered. */
export const ignoredRanges: Row<[range: string | string[]]>[] = [
  [12, 'bytes=5-3'],
  [12, 'bytes=1-0'],
  [13, 'bytes=-1-'],
  [13, 'bytes=0--1'],
  [14, 'bytes=0-1,3-4,7-9'],
  [15, '0-1'],
  [16, 'foo=0-1'],
  [16, 'items=0-1'],
  [17, 'bytes=-'],
  [18, 'bytes='],
  [18, 'bytes=,'],
  [18, 'bytes=abc'],
  [18, 'bytes=a-z'],
  [18, 'bytes=100-x'],
  [19, 'bytes= -1'],
  [19, 'bytes=0 -1'],
  [21, 'bytes=+0-1'],
  [35, ['bytes=0-1', 'bytes=2-3']],
];

/** Ranges that cannot be satisfied, of the objects `ten` and `empty`. */
export const unsatisfiableRanges: Row<[key: string, range: string, size: string]>[] = [
  [9, 'ten', 'bytes=-0', '10'],
  [10, 'ten', 'bytes=100-200', '10'],
  [10, 'ten', 'bytes=10-', '10'],
  [23, 'ten', 'bytes=99999999999999999999-', '10'],
  [24, 'empty', 'bytes=0-0', '0'],
  [24, 'empty', 'bytes=0-', '0'],
  [24, 'empty', 'bytes=40-50', '0'],
  [24, 'empty', 'bytes=-0', '0'],
];

/** Values of If-Range with which the range does not count, for an object with the entity tag `etag`. */
export const failingIfRanges: Row<[value: (etag: string) => string]>[] = [
  [32, () => '"stale"'],
  [33, etag => `W/${etag}`],
  [33, () => 'Sun, 06 Nov 1994 08:49:37 GMT'],
  [33, () => 'never'],
];

/** Whether the answer to a range of the ten digits has the checksum of the object. */
export const checksumsOfRanges: Row<[range: string, hasChecksum: boolean]>[] = [
  [8, 'bytes=0-8', false],
  [5, 'bytes=-15', true],
  [6, 'bytes=0-100', true],
  [12, 'bytes=5-3', true],
];
