import type { Generation } from '../../cache/generation.ts';

/** Writes all bytes of `generation`; false when there is no room for them. */
export function writeWhole(generation: Generation, body: Buffer): boolean {
  for (let position = 0; position < body.length; position = generation.blockEnd(position)) {
    if (!generation.openBlock(position)) return false;
    generation.write(position, body.subarray(position, generation.blockEnd(position)));
    generation.closeBlock(position);
  }
  return true;
}
