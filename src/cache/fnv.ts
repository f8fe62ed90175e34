/** FNV-1a over UTF-16 units, in steps, so that the hash of each beginning of a text comes with that of the text. */
export const FNV_START = 0x811c9dc5;

/** The hash of what `hash` is of, followed by one unit. */
export function withUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** The hash of what `hash` is of, followed by `text` from `start` on. */
export function withText(hash: number, text: string, start = 0): number {
  let longer = hash;
  for (let index = start; index < text.length; index++) longer = withUnit(longer, text.charCodeAt(index));
  return longer;
}

/** A final mix, so that the low bits depend on all of the text. Unsigned, 32 bits. */
export function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
