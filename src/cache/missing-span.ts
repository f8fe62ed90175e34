import type { Block } from './block.ts';

/** The blocks of a content, as far as they are held. */
interface HeldBlocks {
  blockAt(position: number): Block | undefined;
  blockStart(position: number): number;
  blockEnd(position: number): number;
}

/** Where a fetch of the missing byte at `position` begins, so that the block is held in one span. */
export function missingFrom(held: HeldBlocks, position: number): number {
  const block = held.blockAt(position);
  const start = held.blockStart(position);
  if (!block) return start;
  const { valid } = block;
  return position - start >= valid.end && valid.end > valid.start ? start + valid.end : start;
}

/** Where such a fetch ends within the block. */
export function missingUntil(held: HeldBlocks, position: number): number {
  const start = held.blockStart(position);
  const sizeBytes = held.blockEnd(position) - start;
  return start + (held.blockAt(position)?.nextAvailable(position - start, sizeBytes) ?? sizeBytes);
}
