import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  blocksWithin,
  type Coverage,
  type CoveredBlock,
  coverageOf,
  coverageOfSpan,
} from '../../../src/cache/coverage.ts';
import { countLookups } from '../../support/count-lookups.ts';

const blockBytes = 4;
const lengthBytes = 40;

/** Whether each byte of a content is held. */
type Held = readonly boolean[];

function said(bytes: Held): Coverage {
  if (bytes.every(held => held)) return 'all';
  return bytes.includes(true) ? 'some' : 'none';
}

/** Blocks that hold some bytes; others are not there, or hold nothing. */
function blocksOf(held: Held): Map<number, CoveredBlock> {
  const blocks = new Map<number, CoveredBlock>();
  for (let start = 0; start < held.length; start += blockBytes) {
    const bytes = held.slice(start, start + blockBytes);
    if (bytes.includes(true) || start % 3 === 0)
      blocks.set(start / blockBytes, { coverage: (from, to) => said(bytes.slice(from, to)) });
  }
  return blocks;
}

const content = fc.array(fc.boolean(), { minLength: lengthBytes, maxLength: lengthBytes });
const sparse = content.map(bytes => bytes.map((held, position) => held && position % 24 < 5));
const full = fc.nat(lengthBytes).map(gap => Array.from({ length: lengthBytes }, (_, at) => at !== gap));

it('is what is held of a run, wherever it begins and ends', () => {
  fc.assert(
    fc.property(
      fc.oneof(content, sparse, full),
      fc.nat(lengthBytes - 1),
      fc.nat(lengthBytes),
      (held, from, more) => {
        const to = Math.min(lengthBytes, from + more + 1);
        const coverage = coverageOf(blocksOf(held), blockBytes, from, to);
        expect(coverage).toBe(said(held.slice(from, to)));
      },
    ),
  );
});

it.each([
  ['all of it', 2, 8, 2, 8, 'all'],
  ['more than it', 2, 8, 3, 7, 'all'],
  ['its start', 2, 8, 7, 9, 'some'],
  ['its end', 2, 8, 1, 3, 'some'],
  ['bytes inside', 4, 5, 2, 8, 'some'],
  ['bytes up to it', 2, 8, 8, 9, 'none'],
  ['bytes behind it', 2, 8, 1, 2, 'none'],
  ['no bytes', 3, 3, 2, 8, 'none'],
])('a span with %s covers that much of a run', (_what, start, end, from, to, coverage) => {
  expect(coverageOfSpan(start, end, from, to)).toBe(coverage);
});

it('is found in as many looks as there are blocks, however long the run is said to be', async () => {
  const blocks = new Map([0, 1, 7_000_000].map(index => [index, { coverage: () => 'all' as const }]));
  const last = blocks.get(7_000_000);
  for (const sizeBytes of [5 * 1024 ** 4, Number.MAX_SAFE_INTEGER]) {
    const lookups = await countLookups(() => {
      const coverage = coverageOf(blocks, 1024 * 1024, 0, sizeBytes);
      expect(coverage).toBe('some');
      expect([...blocksWithin(blocks, 2, sizeBytes)]).toEqual([[7_000_000, last]]);
    });
    expect(lookups).toBeLessThanOrEqual(2 * blocks.size);
  }
});

it.each([
  ['its second block', [0, ...Array.from({ length: 9_998 }, (_, index) => index + 2)], 10_000],
  ['its last', Array.from({ length: 9_999 }, (_, index) => index), 10_000],
])('of a run that lacks %s not all is looked at', async (_, indexes, count) => {
  const blocks = new Map(indexes.map(index => [index, { coverage: () => 'all' as const }]));
  const lookups = await countLookups(() => expect(coverageOf(blocks, 4, 0, 4 * count)).toBe('some'));
  expect(lookups).toBeLessThan(10);
});

it('is found in as many looks as are asked for where there are more blocks', async () => {
  const blocks = new Map(Array.from({ length: 10_000 }, (_, index) => [index, 'all' as const]));
  const lookups = await countLookups(() => expect([...blocksWithin(blocks, 5, 6)]).toHaveLength(2));
  expect(lookups).toBe(2);
});
