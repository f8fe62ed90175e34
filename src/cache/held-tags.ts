import type { HeldTags, ObjectRecord } from './record.ts';

const none: HeldTags = [];

/** The tags of all records as they have them: what keeps these keeps nothing else of the records. */
export function heldTagsOf(
  records: ReadonlyMap<string, Pick<ObjectRecord, 'tagSlots'>> | undefined,
): HeldTags {
  if (!records) return none;
  let held: Set<readonly number[]> | undefined;
  for (const { tagSlots } of records.values()) {
    if (tagSlots.length === 0) continue;
    held ??= new Set();
    held.add(tagSlots);
  }
  return held ? [...held] : none;
}
