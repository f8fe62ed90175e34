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

/**
 * How much of `[from, to)` is held in `blocks`, which are numbered from the start of the content.
 *
 * @param held how much of a range, relative to the block's start, the block holds
 */
export function coverageOf<Block>(
  blocks: ReadonlyMap<number, Block>,
  blockBytes: number,
  from: number,
  to: number,
  held: (block: Block, from: number, to: number) => Coverage,
): Coverage {
  const first = Math.floor(from / blockBytes);
  const last = Math.floor((to - 1) / blockBytes);
  let complete = 0;
  for (const [index, block] of blocksWithin(blocks, first, last)) {
    const start = index * blockBytes;
    const one = held(block, Math.max(from - start, 0), Math.min(to - start, blockBytes));
    if (one === 'some') return 'some';
    if (one === 'all') complete++;
  }
  if (complete === last - first + 1) return 'all';
  return complete > 0 ? 'some' : 'none';
}
