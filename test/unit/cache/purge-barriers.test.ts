import { expect, it } from 'vitest';
import type { Content } from '../../../src/cache/content.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { ANY_TAG_SLOT, groupTag, tagSlotOf } from '../../../src/cache/tag-slots.ts';
import { slots, testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';

const memory = () => allocateSharedMemory(2 ** 20, 2 ** 16, 1);
const { text } = testKey('web', '/', '/k');

it('a barrier for groups concerns what has their slots, and not what has more tags than are known', () => {
  const barriers = new PurgeBarriers(memory());
  const { groupSlot } = slots.ofWeb({ backend: 'web', bucket: '/' });
  const [slot, second] = [groupSlot(groupTag('o.test', 'news')), groupSlot(groupTag('o.test', 'shop'))];
  const before = barriers.latest;
  barriers.raise({ kind: 'groups', slots: [slot, second] }, 'hard', 0);
  // an answer names many groups, and numbers are for all
  expect(barriers.latest).toBe(before + 1);
  const concerns = (...of: number[]) => barriers.removes(text, of, 0);
  const others = [ANY_TAG_SLOT, slot + 1, tagSlotOf(groupTag('o.test', 'news'))];
  expect([slot, second, ...others].map(one => concerns(one))).toEqual([true, true, false, false, false]);
  barriers.raise({ kind: 'tag', slot: 7 }, 'hard', 0);
  expect(concerns(ANY_TAG_SLOT)).toBe(true);
});

it('an origin that ends all its groups concerns no tag of others, and no group of another origin', () => {
  const barriers = new PurgeBarriers(memory());
  const [loud, quiet] = ['loud', 'quiet'].map(backend => slots.ofWeb({ backend, bucket: 'site' }));
  for (let at = 0; at < 200_000; at += 100) {
    const named = Array.from({ length: 100 }, (_, group) => loud?.groupSlot(`${at + group}`) ?? 0);
    barriers.raise({ kind: 'groups', slots: named }, 'hard', 0);
  }
  const concerned = (of: (name: string) => number) =>
    Array.from({ length: 1_000 }, (_, at) => of(`${at}`)).filter(slot => barriers.removes(text, [slot], 0))
      .length;
  expect([tagSlotOf, quiet?.groupSlot, loud?.groupSlot].map(of => of && concerned(of))).toEqual([
    0, 0, 1_000,
  ]);
});

it('barriers go on past 2^31: what was learned before the last one is concerned, what is learned after it is not', () => {
  const shared = memory();
  new BigInt64Array(shared.barriers.counters).fill(2n ** 31n - 2n);
  const barriers = new PurgeBarriers(shared);
  const range = { backend: 'web', bucket: '/', keyPrefix: '' };
  for (let number = 0; number < 5; number++) {
    const since = barriers.latest;
    barriers.raise({ kind: 'range', range }, 'hard', 0);
    barriers.raise({ kind: 'tag', slot: 7 }, 'hard', 0);
    expect([barriers.removes(text, [], since), barriers.removes(text, [7], barriers.latest)]).toEqual([
      true,
      false,
    ]);
    expect(barriers.standing).toBe(barriers.latest);
  }
  expect(barriers.latest).toBe(2 ** 31 + 8);
});

it('records of which no purge concerns any are left as they are', () => {
  const barriers = new PurgeBarriers(memory());
  const recordWith = (...tagSlots: number[]) => ({ ...recordOf({ sizeBytes: 0 } as Content), tagSlots });
  const records = new Map([7, 8].map(slot => [`${slot}`, recordWith(slot)]));
  barriers.raise({ kind: 'tag', slot: 9 }, 'hard', 0);
  expect(barriers.appliedToAll(text, records)).toBeUndefined();
  barriers.raise({ kind: 'tag', slot: 8 }, 'hard', 0);
  expect(barriers.appliedToAll(text, records)).toEqual(new Map([['7', records.get('7')]]));
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
