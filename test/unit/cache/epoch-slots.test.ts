import { expect, it } from 'vitest';
import { BarrierTable } from '../../../src/cache/barrier-table.ts';
import { EpochSlots } from '../../../src/cache/epoch-slots.ts';
import { Epochs } from '../../../src/cache/epochs.ts';
import { objectKey } from '../../../src/cache/object-key.ts';
import { allocateSharedMemory, EPOCH_SLOTS } from '../../../src/cache/shared-memory.ts';
import { TAG_SLOTS } from '../../../src/cache/tag-slots.ts';

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
    const web = objectKey(bucket, 'k', here.ofWeb(bucket));
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

it('law 5: what is sent to one web origin ends no key and no group of another, however much it is, also after a reload', () => {
  const webBuckets = 3;
  const own = allocateSharedMemory(1, 4096, 1, { namedBuckets: named, webBuckets, epochKey: [5, 6] });
  const [here, there] = [new EpochSlots(own), new EpochSlots(structuredClone(own))];
  const epochs = new Epochs(own);
  const { keySlots, groupSlots } = own.webParts;
  const loud = here.ofWeb({ backend: 'loud', bucket: 'site' });
  const quiet = ['a', 'b', 'added'].map(bucket => ({ backend: 'quiet', bucket }));
  const keys = quiet.flatMap(bucket =>
    Array.from({ length: 100 }, (_, at) => objectKey(bucket, `/${at}`, there.ofWeb(bucket))),
  );
  const object = objectKey(
    { backend: 'quiet', bucket: 'o' },
    'k',
    here.of({ backend: 'quiet', bucket: 'o' }),
  );
  for (let at = 0; at < 2 * keySlots; at++) epochs.raise(loud.keySlot(`/${at}`));
  expect(new Set([...keys, object].map(key => epochs.current(key)))).toEqual(new Set([0]));
  expect(keys.every(({ keySlot }) => keySlot < own.epochs.byteLength / 4)).toBe(true);
  // and the bucket's own keys are ended
  expect(epochs.current({ ...loud, keySlot: loud.keySlot('/1') })).toBeGreaterThan(0);
  const loudGroups = new Set(Array.from({ length: 2 * groupSlots }, (_, at) => loud.groupSlot(`${at}`)));
  for (const bucket of quiet) {
    const { groupSlot } = here.ofWeb(bucket);
    const groups = Array.from({ length: 100 }, (_, at) => groupSlot(`${at}`));
    expect(groups.filter(slot => loudGroups.has(slot))).toEqual([]);
    expect(groups).toEqual(Array.from({ length: 100 }, (_, at) => there.ofWeb(bucket).groupSlot(`${at}`)));
  }
});

it('groups of web origins have slots of barriers behind those of tags, also where many buckets share a part', () => {
  const slots = new EpochSlots(memory);
  const groups = strangers.slice(0, 1_000).flatMap(bucket => {
    const { groupSlot } = slots.ofWeb(bucket);
    return Array.from({ length: 50 }, (_, at) => groupSlot(`${bucket.bucket} ${at}`));
  });
  const [first, last] = [Math.min, Math.max].map(of => groups.reduce((one, other) => of(one, other)));
  expect(first).toBeGreaterThanOrEqual(TAG_SLOTS);
  expect(first).toBeLessThan(TAG_SLOTS + memory.webParts.groupSlots);
  expect(last).toBeLessThan(memory.barriers.tags.byteLength / BarrierTable.bytes(1));
});
