import type { RangeRequest } from '../../http/range.ts';
import { wholeBlocks } from '../fill/readers.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** What a miss requests first: bytes `[from, to)`, a suffix, or a part. */
export type FirstExtent =
  | { readonly kind: 'span'; readonly from: number; readonly to: number }
  | { readonly kind: 'suffix'; readonly lengthBytes: number }
  | { readonly kind: 'part'; readonly partNumber: number };

/**
 * The first request for an unknown object: the blocks that contain the requested range. A read of a few bytes fetches
 * only the block that contains them.
 *
 * @param limitBytes limit for a span; rounded down to whole blocks, at least one
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

/** The first block of an object: a GET that transfers little. */
export function firstBlock({ policy }: ObjectRead): FirstExtent {
  return { kind: 'span', from: 0, to: policy.blockSizeBytes };
}

function wantedUntil(range: RangeRequest, blockBytes: number): number {
  if (range.kind !== 'from' || range.last === undefined) return Number.POSITIVE_INFINITY;
  return (Math.floor(range.last / blockBytes) + 1) * blockBytes;
}

/** The Range header for `extent`; undefined for a part, which is requested by number. */
export function rangeHeader(extent: FirstExtent): string | undefined {
  if (extent.kind === 'part') return undefined;
  return extent.kind === 'suffix' ? `bytes=-${extent.lengthBytes}` : `bytes=${extent.from}-${extent.to - 1}`;
}
