import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sizeClassCount, sizeClassFor, slotBytes, slotsInPage } from '../../../src/cache/size-class.ts';

const pageBytes = 1024 * 1024;

it('the slots of a page fit into it, and each class has smaller ones than the one before', () => {
  for (let sizeClass = 0; sizeClass < sizeClassCount; sizeClass++) {
    expect(slotBytes(sizeClass, pageBytes) * slotsInPage(sizeClass)).toBeLessThanOrEqual(pageBytes);
    if (sizeClass > 0)
      expect(slotBytes(sizeClass, pageBytes)).toBeLessThan(slotBytes(sizeClass - 1, pageBytes));
  }
});

it('a block gets a slot that holds it, and no larger than needed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: pageBytes }), sizeBytes => {
      const sizeClass = sizeClassFor(sizeBytes, pageBytes);
      expect(slotBytes(sizeClass, pageBytes)).toBeGreaterThanOrEqual(sizeBytes);
      if (sizeClass + 1 < sizeClassCount) expect(slotBytes(sizeClass + 1, pageBytes)).toBeLessThan(sizeBytes);
    }),
  );
});

it('refuses what no page holds', () => {
  expect(() => sizeClassFor(pageBytes + 1, pageBytes)).toThrow(RangeError);
});
