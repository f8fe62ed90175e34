import { EpochSlots } from '../../src/cache/epoch-slots.ts';
import { type ObjectKey, objectKey } from '../../src/cache/object-key.ts';
import { allocateWebParts } from '../../src/cache/web-parts.ts';

/** The slots of a process whose configuration names no buckets. */
export const slots = new EpochSlots({
  ...{ namedBuckets: [], epochKey: [1, 2], webParts: allocateWebParts(0) },
});

export function testKey(backend: string, bucket: string, key: string): ObjectKey {
  return objectKey({ backend, bucket }, key, slots.of({ backend, bucket }));
}
