import type { Block, Span } from './block.ts';

/** The blocks of a content, as far as they are held. */
interface PartlyHeld {
  readonly blockBytes: number;
  blockAt(position: number): Block | undefined;
  blockStart(position: number): number;
  blockEnd(position: number): number;
  availableUntil(position: number): number;
}

/** The first missing run in `[from, to)` of a content, widened to whole blocks and limited to about `limitBytes`. */
export function firstMissing(
  held: PartlyHeld,
  from: number,
  to: number,
  limitBytes: number,
): Span | undefined {
  let start = from;
  while (start < to && held.availableUntil(start) > start) start = held.availableUntil(start);
  if (start >= to) return undefined;
  const first = missingFrom(held, start);
  let end = missingUntil(held, start);
  while (end < to && end - first < limitBytes && end % held.blockBytes === 0 && !held.blockAt(end))
    end = missingUntil(held, end);
  return { start: first, end };
}

/** Where a fetch of the missing byte at `position` begins, so that the block is held in one span. */
function missingFrom(held: PartlyHeld, position: number): number {
  const block = held.blockAt(position);
  const start = held.blockStart(position);
  if (!block) return start;
  const { valid } = block;
  return position - start >= valid.end && valid.end > valid.start ? start + valid.end : start;
}

/** Where such a fetch ends within the block. */
function missingUntil(held: PartlyHeld, position: number): number {
  const start = held.blockStart(position);
  const sizeBytes = held.blockEnd(position) - start;
  return start + (held.blockAt(position)?.nextAvailable(position - start, sizeBytes) ?? sizeBytes);
}
