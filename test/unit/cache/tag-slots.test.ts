import { expect, it } from 'vitest';
import { ANY_TAG_SLOT, tagSlotOf, tagSlotsOf } from '../../../src/cache/tag-slots.ts';

/** Tags of which no two have one slot. */
function tags(count: number): string[] {
  const bySlot = new Map<number, string>();
  for (let index = 0; bySlot.size < count; index++) bySlot.set(tagSlotOf(`tag ${index}`), `tag ${index}`);
  return [...bySlot.values()];
}

it('law 8: of an object 128 tags are kept; with more it is concerned by a purge of any, in less memory', () => {
  expect(tagSlotsOf(tags(128))).toEqual(tags(128).map(tagSlotOf));
  expect(tagSlotsOf(tags(129))).toEqual([ANY_TAG_SLOT]);
});

it('a tag that is said again counts once', () => {
  expect(tagSlotsOf(Array.from({ length: 200 }, () => 'again'))).toEqual([tagSlotOf('again')]);
});
