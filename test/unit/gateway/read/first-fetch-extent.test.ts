import { expect, it } from 'vitest';
import { firstBlock, firstExtent, rangeHeader } from '../../../../src/gateway/read/first-fetch.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { parseRange } from '../../../../src/http/range.ts';
import { readOf } from '../../../support/object-reads.ts';

const block = 1024 * 1024;
const extent = 8 * block;

/** The Range header of the first request for a read with this one. */
function asked(range: string | undefined, different: Partial<ObjectRead> = {}): string | undefined {
  return rangeHeader(firstExtent(readOf('k', { range: parseRange(range), ...different }), extent));
}

it.each([
  ['all of it', undefined, `bytes=0-${extent - 1}`],
  ['its first bytes', 'bytes=0-9', `bytes=0-${block - 1}`],
  ['bytes across two blocks', `bytes=${block - 1}-${block}`, `bytes=0-${2 * block - 1}`],
  [
    'bytes of a later block',
    `bytes=${3 * block + 5}-${3 * block + 6}`,
    `bytes=${3 * block}-${4 * block - 1}`,
  ],
  ['everything from some byte on', `bytes=${block + 5}-`, `bytes=${block}-${block + extent - 1}`],
  ['more than an extent', `bytes=5-${20 * block}`, `bytes=0-${extent - 1}`],
  ['its last bytes', 'bytes=-100', 'bytes=-100'],
  ['what is no range', 'lines=1-2', `bytes=0-${extent - 1}`],
])(
  'of an object that nothing is known of, who reads %s has whole blocks of one extent asked for',
  (_, range, expected) => {
    expect(asked(range)).toBe(expected);
  },
);

it('a conditional read asks for one block at the most', () => {
  expect(asked(undefined, { isConditional: true })).toBe(`bytes=0-${block - 1}`);
  expect(asked(`bytes=${2 * block}-`, { isConditional: true })).toBe(`bytes=${2 * block}-${3 * block - 1}`);
  expect(asked(`bytes=-${3 * block}`, { isConditional: true })).toBe(`bytes=-${block}`);
  expect(asked('bytes=-5', { isConditional: true })).toBe('bytes=-5');
});

it('a part is asked for by its number and has no range', () => {
  const read = readOf('k', { partNumber: 3 });
  expect(firstExtent(read, extent)).toEqual({ kind: 'part', partNumber: 3 });
  expect(rangeHeader(firstExtent(read, extent))).toBeUndefined();
});

it('a block larger than an extent is asked for whole', () => {
  const policy = { ...readOf('k').policy, blockSizeBytes: 16 * block };
  expect(asked(undefined, { policy })).toBe(`bytes=0-${16 * block - 1}`);
  expect(rangeHeader(firstBlock(readOf('k', { policy })))).toBe(`bytes=0-${16 * block - 1}`);
});

it('asks for no more than it is given, in whole blocks, and for one block at the least', () => {
  const read = readOf('k', { range: parseRange(undefined) });
  expect(rangeHeader(firstExtent(read, 2.5 * block))).toBe(`bytes=0-${2 * block - 1}`);
  expect(rangeHeader(firstExtent(read, 10))).toBe(`bytes=0-${block - 1}`);
});
