import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Oldest } from '../../../src/cache/oldest.ts';

it('is the member that came first, whatever comes, goes, comes again and is asked for', () => {
  const step = fc.record({ key: fc.nat(20), isAdded: fc.boolean(), isAsked: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const members = new Set<number>();
      const oldest = new Oldest(members);
      for (const { key, isAdded, isAsked } of steps) {
        if (isAdded) members.add(key);
        else if (members.delete(key)) oldest.removed(key);
        if (isAsked) expect(oldest.key).toBe([...members][0]);
      }
    }),
  );
});

it('is found without passing over the gaps of those that have gone', () => {
  let walks = 0;
  class Counted extends Set<number> {
    override keys() {
      walks++;
      return super.keys();
    }
  }
  const members = new Counted();
  for (let key = 0; key < 10_000; key++) members.add(key);
  const oldest = new Oldest(members);
  for (let key = 0; key < 10_000; key++) {
    expect(oldest.key).toBe(key);
    members.delete(key);
    oldest.removed(key);
  }
  expect(walks).toBe(1);
});
