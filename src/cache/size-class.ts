/**
 * Into how many equal slots a page can be carved. A block gets the smallest slot that holds it. Except in the smallest
 * class, at most a third of a slot is wasted.
 */
const slotsPerPage = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512] as const;

/** The most slots in a page; slots are numbered `page * maxSlotsPerPage + position`. */
export const MAX_SLOTS_PER_PAGE = 512;

/** Number of size classes; a class is named by its index, the largest slots first. */
export const sizeClassCount = slotsPerPage.length;

/** The page that `slot` lies in. */
export function pageOf(slot: number): number {
  return Math.floor(slot / MAX_SLOTS_PER_PAGE);
}

/** Slots start on cache lines, which avoids false sharing. */
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
 * @throws RangeError when `sizeBytes` exceeds a page
 */
export function sizeClassFor(sizeBytes: number, pageBytes: number): number {
  if (sizeBytes > pageBytes) throw new RangeError(`${sizeBytes} bytes do not fit a page of ${pageBytes}`);
  let sizeClass = 0;
  while (sizeClass + 1 < sizeClassCount && slotBytes(sizeClass + 1, pageBytes) >= sizeBytes) sizeClass++;
  return sizeClass;
}
