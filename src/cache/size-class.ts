/**
 * How many equal slots a page of the arena can be carved into. A block goes to the smallest slot that holds it, so
 * that at most a third of a slot is wasted for blocks above the smallest slot.
 */
const slotsPerPage = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512] as const;

/** Slots that a page is carved into at the most: slot numbers are `page * maxSlotsPerPage + position`. */
export const MAX_SLOTS_PER_PAGE = 512;

/** Number of size classes; a class is named by its index, the largest slots first. */
export const sizeClassCount = slotsPerPage.length;

/** Slots start on cache lines, so that two of them never share one. */
const SLOT_ALIGNMENT_BYTES = 64;

/** Slots that a page of `sizeClass` holds. */
export function slotsInPage(sizeClass: number): number {
  const slots = slotsPerPage[sizeClass];
  if (slots === undefined) throw new RangeError(`no size class ${sizeClass}`);
  return slots;
}

/** Bytes that a slot of `sizeClass` holds in pages of `pageBytes`. */
export function slotBytes(sizeClass: number, pageBytes: number): number {
  const bytes = Math.floor(pageBytes / slotsInPage(sizeClass));
  return bytes - (bytes % SLOT_ALIGNMENT_BYTES);
}

/**
 * The class with the smallest slots that hold `sizeBytes`.
 *
 * @throws RangeError when not even a whole page holds them
 */
export function sizeClassFor(sizeBytes: number, pageBytes: number): number {
  if (sizeBytes > pageBytes) throw new RangeError(`${sizeBytes} bytes do not fit a page of ${pageBytes}`);
  let sizeClass = 0;
  while (sizeClass + 1 < sizeClassCount && slotBytes(sizeClass + 1, pageBytes) >= sizeBytes) sizeClass++;
  return sizeClass;
}
