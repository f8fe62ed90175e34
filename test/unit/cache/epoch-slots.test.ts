import { expect, it } from 'vitest';
import { EpochSlots } from '../../../src/cache/epoch-slots.ts';
import { Epochs } from '../../../src/cache/epochs.ts';
import { objectKey } from '../../../src/cache/object-key.ts';
import { allocateSharedMemory, EPOCH_SLOTS } from '../../../src/cache/shared-memory.ts';

const named = ['photos', 'films', 'maps'].map(bucket => ({ backend: 'main', bucket }));
const memory = allocateSharedMemory(1, 4096, 1, { namedBuckets: named, epochKey: [5, 6] });

const strangers = Array.from({ length: 20_000 }, (_, index) => ({
  backend: 'main',
  bucket: `mine-${index}`,
}));
const bucketSlotsOf = (slots: EpochSlots) => strangers.map(bucket => slots.of(bucket).bucketSlot);

it('a bucket named in the configuration shares its epoch with no other, whatever names clients choose', () => {
  const slots = new EpochSlots(memory);
  const own = named.map(bucket => slots.of(bucket).bucketSlot);
  expect(new Set(own).size).toBe(named.length);
  const others = new Set(bucketSlotsOf(slots));
  expect(own.filter(slot => others.has(slot))).toEqual([]);
});

it('a bucket of the same name at another backend is another bucket', () => {
  const slots = new EpochSlots(memory);
  const [one, other] = ['main', 'two'].map(backend => slots.of({ backend, bucket: 'photos' }).bucketSlot);
  expect(one).not.toBe(other);
});

it('every slot has a counter, and all threads find the same ones', () => {
  const [here, there] = [new EpochSlots(memory), new EpochSlots(structuredClone(memory))];
  const epochs = new Epochs(memory);
  for (const bucket of [...named, ...strangers]) {
    const [key, same] = [here, there].map(slots => objectKey(bucket, 'k', slots.of(bucket)));
    if (!key) throw new Error('there is no key');
    expect(same).toEqual(key);
    expect(key.keySlot).toBeLessThan(EPOCH_SLOTS);
    const before = epochs.current(key);
    epochs.raiseBucket(key.bucketSlot);
    epochs.raise(key.keySlot);
    expect(epochs.current(key)).toBe(before + 2);
    const web = objectKey(bucket, 'k', here.of(bucket, 'web'));
    const beforeChange = epochs.current(web);
    epochs.raise(web.keySlot);
    // whoever sends what changes something to a web origin reaches no object
    expect([epochs.current(web), epochs.current(key)]).toEqual([beforeChange + 1, before + 2]);
  }
});

it('which keys and strange buckets share a counter depends on the secret of the process', () => {
  const [one, other] = [
    new EpochSlots(memory),
    new EpochSlots(allocateSharedMemory(1, 4096, 1, { namedBuckets: named, epochKey: [5, 7] })),
  ];
  const keys = (slots: EpochSlots) =>
    strangers.map(bucket => objectKey(bucket, 'k', slots.of(bucket)).keySlot);
  for (const slotsOf of [bucketSlotsOf, keys]) {
    const colliding = (slots: EpochSlots) => {
      const all = slotsOf(slots);
      return new Set(all.flatMap((slot, index) => (slot === all[0] ? [index] : [])));
    };
    const shared = [...colliding(one)].filter(index => index !== 0 && colliding(other).has(index));
    expect(shared).toEqual([]);
  }
});
