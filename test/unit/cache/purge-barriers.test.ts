import { expect, it } from 'vitest';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { ANY_TAG_SLOT, groupTag, tagSlotOf } from '../../../src/cache/tag-slots.ts';
import { testKey } from '../../support/object-keys.ts';

it('a barrier for a group concerns what has its slot, and not what has more tags than are known', () => {
  const barriers = new PurgeBarriers(allocateSharedMemory(2 ** 20, 2 ** 16, 1));
  const { text } = testKey('web', '/', '/k');
  const slot = tagSlotOf(groupTag('o.test', 'news'));
  barriers.raise({ kind: 'group', slot }, 'hard', 0);
  const concerns = (...slots: number[]) => barriers.removes(text, slots, 0);
  expect([concerns(slot), concerns(ANY_TAG_SLOT), concerns(slot + 1)]).toEqual([true, false, false]);
  barriers.raise({ kind: 'tag', slot }, 'hard', 0);
  expect(concerns(ANY_TAG_SLOT)).toBe(true);
});

it('groups of one name at two origins have two tags, however names are composed', () => {
  expect(groupTag('ab', 'c')).not.toBe(groupTag('a', 'bc'));
});
