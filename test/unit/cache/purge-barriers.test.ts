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

it('tells which barriers are for an object, in their order, and when the soft ones were raised', () => {
  const barriers = new PurgeBarriers(allocateSharedMemory(2 ** 20, 2 ** 16, 1));
  const objectKey = testKey('main', 'b', 'docs/a');
  const { backend, bucket } = objectKey;
  const range = (keyPrefix: string) => ({ kind: 'range', range: { backend, bucket, keyPrefix } }) as const;
  const slot = tagSlotOf('news');
  barriers.raise(range('docs/'), 'hard', 1_000);
  barriers.raise(range('other/'), 'hard', 2_000);
  barriers.raise({ kind: 'tag', slot }, 'soft', 3_000);
  barriers.raise(range(''), 'soft', 4_000);
  barriers.raise({ kind: 'key', objectKey }, 'soft', 5_000);
  const [hard, soft] = [{ kind: 'hard', raisedMs: undefined }, { kind: 'soft' }];
  const prefix = { scope: 'prefix', name: 'docs/', number: 1, ...hard };
  const ofBucket = { scope: 'bucket', name: undefined, number: 4, raisedMs: 4_000, ...soft };
  const ofKey = { scope: 'key', name: undefined, number: 5, raisedMs: 5_000, ...soft };
  const tag = { scope: 'tag', name: undefined, number: 3, raisedMs: 3_000, ...soft };
  expect(barriers.notedFor(objectKey.text, [slot])).toEqual([prefix, tag, ofBucket, ofKey]);
  expect(barriers.notedFor(testKey('main', 'b', 'x').text, [])).toEqual([ofBucket]);
});
