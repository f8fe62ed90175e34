import type { RangeRequest } from '../../http/range.ts';
import { wholeBlocks } from '../fill/read-ahead.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** What a miss asks for first: bytes `[from, to)` or the last bytes, or everything at once. */
export type FirstExtent =
  | { readonly kind: 'span'; readonly from: number; readonly to: number }
  | { readonly kind: 'suffix'; readonly lengthBytes: number }
  | { readonly kind: 'part'; readonly partNumber: number };

/**
 * The first request for an object of which nothing is known: whole blocks around what the client wants first, so
 * that a read of a few bytes fetches the block they are in and nothing else.
 *
 * @param limitBytes of a span, rounded down to whole blocks: one at the least.
 */
export function firstExtent(
  { range, partNumber, policy, isConditional }: ObjectRead,
  limitBytes: number,
): FirstExtent {
  if (partNumber !== undefined) return { kind: 'part', partNumber };
  const blockBytes = policy.blockSizeBytes;
  if (range.kind === 'suffix') {
    return { kind: 'suffix', lengthBytes: isConditional ? Math.min(range.length, blockBytes) : range.length };
  }
  const first = range.kind === 'from' ? range.first : 0;
  const from = first - (first % blockBytes);
  const limit = isConditional ? from + blockBytes : from + wholeBlocks(limitBytes, blockBytes);
  return { kind: 'span', from, to: Math.min(wantedUntil(range, blockBytes), limit) };
}

/** The first block of an object: a GET that brings little. */
export function firstBlock({ policy }: ObjectRead): FirstExtent {
  return { kind: 'span', from: 0, to: policy.blockSizeBytes };
}

function wantedUntil(range: RangeRequest, blockBytes: number): number {
  if (range.kind !== 'from' || range.last === undefined) return Number.POSITIVE_INFINITY;
  return (Math.floor(range.last / blockBytes) + 1) * blockBytes;
}

/** The Range header that asks for `extent`; undefined for a part, which has no range. */
export function rangeHeader(extent: FirstExtent): string | undefined {
  if (extent.kind === 'part') return undefined;
  return extent.kind === 'suffix' ? `bytes=-${extent.lengthBytes}` : `bytes=${extent.from}-${extent.to - 1}`;
}
