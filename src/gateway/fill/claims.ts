import type { Generation } from '../../cache/generation.ts';
import { firstMissing } from '../../cache/missing-span.ts';
import type { Extent } from './extent.ts';

/** A running extent claims the blocks that it is going to write to: no other one fetches them. */
type Claim = Pick<Extent, 'blocks' | 'isWhole'>;

/** The extent among `extents` that fetches the block containing `position`. */
export function claiming<Running extends Claim>(
  extents: Iterable<Running>,
  position: number,
): Running | undefined {
  for (const extent of extents) if (extent.blocks.claims(position)) return extent;
  return undefined;
}

/**
 * The first run of missing bytes in `[from, to)` in blocks that none of `extents` claims, widened to whole blocks and
 * limited to about `limitBytes`.
 */
export function firstUnclaimed(
  generation: Generation,
  extents: Iterable<Claim>,
  from: number,
  to: number,
  limitBytes: number,
): { readonly start: number; readonly end: number } | undefined {
  let position = from;
  while (position < to) {
    const missing = firstMissing(generation, position, to, limitBytes);
    if (!missing) return undefined;
    const { start, end } = missing;
    const claim = claiming(extents, start);
    if (!claim) return { start, end: untilClaimed(generation, extents, start, end) };
    position = generation.blockEnd(claim.blocks.to - 1);
  }
  return undefined;
}

function untilClaimed(generation: Generation, extents: Iterable<Claim>, start: number, end: number): number {
  let until = end;
  for (const { blocks } of extents) {
    const claimedFrom = generation.blockStart(blocks.position);
    if (claimedFrom > start && claimedFrom < until) until = claimedFrom;
  }
  return until;
}

/**
 * Where a new transfer of the whole of `generation`, started for the byte at `position`, meets what another such transfer
 * has yet to bring. One that ends before `position` does not count: it brings nothing from there on.
 */
export function untilWhole(generation: Generation, extents: Iterable<Claim>, position: number): number {
  let until = generation.sizeBytes;
  for (const { isWhole, blocks } of extents) {
    const start = generation.blockStart(blocks.position);
    if (isWhole && start > position) until = Math.min(until, start);
  }
  return until;
}
