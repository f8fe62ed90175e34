import { lengthPrefixed } from '../base/length-prefixed.ts';
import { hashText } from './object-key.ts';

const SLOTS_BY_HASH = 65_536;

/** Concerned by a purge of any tag. */
export const ANY_TAG_SLOT = SLOTS_BY_HASH;

/** The slots that barriers for tags have, see `PurgeBarriers`. Those for groups of web origins come behind, see `EpochSlots`. */
export const TAG_SLOTS = SLOTS_BY_HASH + 1;

/** Stores choose how many tags an object has: one with more is concerned by a purge of any. */
const TAGS_PER_RECORD = 128;

const none: readonly number[] = [];
const any: readonly number[] = [ANY_TAG_SLOT];

export function tagSlotOf(tag: string): number {
  return hashText(tag) % SLOTS_BY_HASH;
}

/** The tag that answers of one origin have for a cache group: a group of the same name at another origin is another one. */
export function groupTag(origin: string, group: string): string {
  return lengthPrefixed(origin) + lengthPrefixed(group);
}

/** What is kept of the tags of an object. @param groups slots of groups that it is in, too */
export function tagSlotsOf(tags: readonly string[], groups: readonly number[] = none): readonly number[] {
  if (tags.length === 0 && groups.length === 0) return none;
  const slots = new Set(groups.slice(0, TAGS_PER_RECORD + 1));
  for (const tag of tags) {
    if (slots.size > TAGS_PER_RECORD) break;
    slots.add(tagSlotOf(tag));
  }
  return slots.size > TAGS_PER_RECORD ? any : [...slots];
}
