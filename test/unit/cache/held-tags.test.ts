import { expect, it } from 'vitest';
import { heldTagsOf } from '../../../src/cache/held-tags.ts';

it('the tags of what is held are kept apart, each list of them once, and nothing else of the records', () => {
  const records = (...all: readonly (readonly number[])[]) =>
    new Map(all.map((tagSlots, index) => [`${index}`, { tagSlots }]));
  const [none, same, other] = [[], [1, 2], [1, 3]];
  expect([heldTagsOf(undefined), heldTagsOf(records(none))]).toEqual([[], []]);
  expect(heldTagsOf(records(none, same, other, none, same))).toEqual([same, other]);
});
