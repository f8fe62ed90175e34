/** How much of a run of bytes is held. */
export type Coverage = 'all' | 'some' | 'none';

/**
 * The blocks numbered `first` to `last` (included) that there are. Looks at no more than there are or are asked for,
 * whichever is less: how long an object is, its store announces.
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
 * How much of `[from, to)` is held in `blocks`, which are numbered from the beginning of the content.
 *
 * @param held how much a block holds of a run that is counted from its own beginning.
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
