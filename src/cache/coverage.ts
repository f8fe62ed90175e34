/** How much of a run of bytes is held. */
export type Coverage = 'all' | 'some' | 'none';

/**
 * The existing blocks numbered `first` to `last` (inclusive). Iterates over the range or over the map, whichever is
 * smaller: the size of the range follows from the object size that the store declares and may be huge.
 */
export function* blocksWithin<Block>(
  blocks: ReadonlyMap<number, Block>,
  first: number,
  last: number,
): Generator<readonly [number, Block], void, undefined> {
  if (last - first < blocks.size) {
    for (let index = first; index <= last; index++) {
      const block = blocks.get(index);
      if (block !== undefined) yield [index, block];
    }
    return;
  }
  for (const entry of blocks) if (entry[0] >= first && entry[0] <= last) yield entry;
}

/** How much of `[from, to)` lies within `[start, end)`; `[from, to)` must not be empty. */
export function coverageOfSpan(start: number, end: number, from: number, to: number): Coverage {
  if (start <= from && to <= end) return 'all';
  return Math.max(start, from) < Math.min(end, to) ? 'some' : 'none';
}

/** A block that may hold only a part of its bytes. */
export interface CoveredBlock {
  /** How much of `[from, to)`, relative to the block's start, it holds. */
  coverage(from: number, to: number): Coverage;
}

/** How much of `[from, to)` is held in `blocks`, which are numbered from the start of the content; not an empty range. */
export function coverageOf(
  blocks: ReadonlyMap<number, CoveredBlock>,
  blockBytes: number,
  from: number,
  to: number,
): Coverage {
  const start = from - (from % blockBytes);
  const first = start / blockBytes;
  // fast path: most reads stay within one block
  if (to <= start + blockBytes) return blocks.get(first)?.coverage(from - start, to - start) ?? 'none';
  const last = Math.floor((to - 1) / blockBytes);
  const mayBeAll = blocks.size > last - first;
  let complete = 0;
  for (const [index, block] of blocksWithin(blocks, first, last)) {
    const start = index * blockBytes;
    const one = block.coverage(Math.max(from - start, 0), Math.min(to - start, blockBytes));
    if (one === 'all') complete++;
    // blocks come in their order where all may be there
    const isGapless = mayBeAll && index === first + complete - 1;
    if (one === 'some' || (complete > 0 && !isGapless)) return 'some';
  }
  if (complete === last - first + 1) return 'all';
  return complete > 0 ? 'some' : 'none';
}
