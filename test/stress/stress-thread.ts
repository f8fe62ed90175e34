/**
 * Threads over the shared tables of the product: an owner who replaces contents all the time, evicts and moves others to make room;
 * one who purges; and readers who look objects up as a hit does, and check what they have pinned. Any of them may be killed.
 */
import { workerData } from 'node:worker_threads';
import { ByteTextWriter } from '../../src/cache/byte-text.ts';
import { Epochs } from '../../src/cache/epochs.ts';
import { GRANULE_BYTES, granulesFor } from '../../src/cache/granules.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../src/cache/object-key.ts';
import { PACKED_VERSION, type PackedText, writeHead } from '../../src/cache/packed-head.ts';
import { type BarrierScope, PurgeBarriers } from '../../src/cache/purge-barriers.ts';
import { SlotPins } from '../../src/cache/slot-pins.ts';
import { SlotTexts, type ToldText } from '../../src/cache/slot-texts.ts';
import { tagSlotOf, tagSlotsOf } from '../../src/cache/tag-slots.ts';
import { testKey } from '../support/object-keys.ts';
import { Counts, OBJECTS, type Place, Places, type StressMemory } from './shared-tables.ts';

/** What a thread of the test is given; the worker 0 owns all objects. */
export interface StressStart {
  readonly role: 'owner' | 'reader' | 'purger';
  readonly memory: StressMemory;
  readonly worker: number;
}

/** Room behind small contents, in which the owner tells of them, and how often a text says which one it is. */
const TEXT_GRANULES = 1;
const REPEATS = 40;
const PLACE_NUMBERS = 4;

/** How often a reader looks at a content whose tag has changed: long enough for the owner to write the next one. */
const LOOKS = 300;

/** One of so many contents is held like that by a slow client: until the owner has died and its successor has filled all memory. */
const HELD_ONE_OF = 2_000;
const HELD_MS = 800;

/** One of so many texts is held for so long: until its owner has come by it again. */
const TEXT_HELD_ONE_OF = 20;
const TEXT_HELD_MS = 3;

/** The share of look-ups by what is remembered; the others are by what the owner tells. */
const ASKED = 0.5;

/** The share of look-ups that learn where a content is now. Of those seldom learnt some places are of an owner that has died. */
const LEARNT = { often: 0.7, seldom: 0.02 };

/** So that hits are found between purges. */
const PURGE_INTERVAL_MS = 4;
/** After so many purges there are none for a while: what was told is still remembered when its owner has died, and a successor writes. */
const PURGES = 64;
const REST_MS = 1_000;

const backend = 'main';
const bucketOf = (index: number) => `bucket-${index % 2}`;
const prefixOf = (index: number) => `folder-${index % 8}/`;
const tagOf = (index: number) => `tag-${index % 6}`;

/** One object, as all threads know it. */
interface StressObject {
  readonly objectKey: ObjectKey;
  readonly tagSlots: readonly number[];
}

const objects: readonly StressObject[] = Array.from({ length: OBJECTS }, (_, index) => ({
  objectKey: testKey(backend, bucketOf(index), `${prefixOf(index)}${index}`),
  tagSlots: tagSlotsOf([tagOf(index)]),
}));

/** Every word tells object, version and where it is, as far as 32 bits can. */
function wordOf(index: number, version: number, at: number): number {
  return (Math.imul(version * OBJECTS + index, 0x9e3779b1) + Math.imul(at, 0x85ebca6b)) | 0;
}

function wordsAt(pins: SlotPins, { slot, granules }: Pick<Place, 'slot' | 'granules'>): Int32Array {
  const { buffer, byteOffset, byteLength } = pins.view(slot, 0, granules * GRANULE_BYTES);
  return new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
}

function isContent(words: Int32Array, index: number, version: number): boolean {
  for (let at = 0; at < words.length; at++) if (words[at] !== wordOf(index, version, at)) return false;
  return true;
}

/** What is told of a content: its place, and a number of the text all over it. */
function textOf(
  { objectKey, tagSlots }: StressObject,
  place: Omit<Place, 'slot' | 'tag'>,
  number: number,
  isAlone: boolean,
): string {
  const to = new ByteTextWriter();
  writeHead(to, { text: objectKey.text, barrier: place.barrier, tagSlots, block: undefined });
  for (const value of [place.version, place.granules, place.epoch, isAlone ? 1 : 0]) to.count(value);
  for (let left = REPEATS; left > 0; left--) to.count(number);
  return to.finish(PACKED_VERSION);
}

/** The place that a text tells; one that is told alone has only itself there. */
function placeOf({ slot, tag, head: { barrier }, rest }: ToldText): Place & { readonly isAlone: boolean } {
  const [version, granules, epoch, alone] = [rest.count(), rest.count(), rest.count(), rest.count()];
  return { slot, tag, version, granules, epoch, barrier, isAlone: alone === 1 };
}

/** Which text it is; undefined for one that is two in parts. */
function numberOf({ rest }: PackedText): number | undefined {
  for (let place = 0; place < PLACE_NUMBERS; place++) rest.count();
  const numbers = new Set(Array.from({ length: REPEATS }, () => rest.count()));
  return numbers.size === 1 ? [...numbers][0] : undefined;
}

function own({ memory, worker }: StressStart): void {
  const { product } = memory;
  const tier = new MemoryTier(product, worker);
  const [epochs, barriers] = [new Epochs(product), new PurgeBarriers(product)];
  const [begun, owned] = [new Int32Array(memory.begun), new Int32Array(memory.owned)];
  const places = new Places(memory);
  places.clear();
  const slots = new Map<number, number>();
  const known = new Map<number, Omit<Place, 'slot' | 'tag'>>();
  let numbered = 0;
  const tell = (index: number, object: StressObject, slot: number) => {
    const place = known.get(index);
    if (!place) return;
    const isAlone = place.granules * GRANULE_BYTES > product.layout.pageBytes / 2;
    const text = textOf(object, place, numbered++ % 128, isAlone);
    const { objectKey } = object;
    // what leaves no room behind it is told alone; that says nothing of the bytes, so these may go meanwhile
    if (isAlone) {
      tier.packed.untell(objectKey.text);
      if (tier.packed.tellAlone(objectKey.text, text)) Atomics.add(owned, 3, 1);
    } else if (tier.packed.tell(objectKey.text, text, slot, place.granules * GRANULE_BYTES))
      Atomics.add(owned, 2, 1);
  };
  const gone = (index: number) => {
    slots.delete(index);
    places.set(index, undefined);
  };
  for (let turn = 0; isRunning(memory); turn++) {
    const index = Math.floor(Math.random() * OBJECTS);
    const object = objects[index];
    if (!object) continue;
    const before = slots.get(index);
    if (before !== undefined && turn % 3 !== 0) {
      tell(index, object, before);
      continue;
    }
    if (before !== undefined) {
      gone(index);
      tier.free(before);
    }
    tier.packed.untell(object.objectKey.text);
    // as for a question to the store: what may purge it is looked at before it is begun
    const [epoch, barrier] = [epochs.current(object.objectKey), barriers.latest];
    const version = Atomics.add(begun, index, 1) + 1;
    // mostly small ones, and at times one that takes a page
    const { pageBytes } = product.layout;
    const sizeBytes = turn % 7 === 0 ? pageBytes : (1 + (index % 3)) * (pageBytes / 8);
    const granules = granulesFor(sizeBytes);
    const publish = (slot: number) => {
      slots.set(index, slot);
      places.set(index, { slot, tag: tier.pins.tag(slot), version, granules, epoch, barrier });
    };
    const moved = (slot: number) => {
      Atomics.add(owned, 1, 1);
      publish(slot);
    };
    const roomBytes = sizeBytes < pageBytes ? TEXT_GRANULES * GRANULE_BYTES : 0;
    const slot = tier.allocate(sizeBytes + roomBytes, {
      contentHash: index,
      evicted: () => gone(index),
      moved,
    });
    if (slot === undefined) continue;
    const words = wordsAt(tier.pins, { slot, granules });
    for (let at = 0; at < words.length; at++) words[at] = wordOf(index, version, at);
    tier.complete(slot);
    tier.read(slot);
    publish(slot);
    known.set(index, { version, granules, epoch, barrier });
    tell(index, object, slot);
    Atomics.add(owned, 0, 1);
  }
}

/** A purge: how it is done, and what it is for. */
interface Order {
  readonly raise: () => void;
  readonly concerns: (index: number) => boolean;
}

function purge({ memory }: StressStart): void {
  const { product } = memory;
  const [epochs, barriers] = [new Epochs(product), new PurgeBarriers(product)];
  const [begun, purged] = [new Int32Array(memory.begun), new Int32Array(memory.purged)];
  const barrier = (scope: BarrierScope) => () => barriers.raise(scope, 'hard', 0);
  const orderOf = (kind: number, index: number, { objectKey }: StressObject): Order => {
    const bucket = bucketOf(index);
    const isSame = (other: number) => other === index;
    const isInBucket = (other: number) => bucketOf(other) === bucket;
    const range = (keyPrefix: string) => barrier({ kind: 'range', range: { backend, bucket, keyPrefix } });
    switch (kind % 6) {
      case 0:
        return { raise: () => epochs.raise(objectKey.keySlot), concerns: isSame };
      case 1:
        return { raise: () => epochs.raiseBucket(objectKey.bucketSlot), concerns: isInBucket };
      case 2:
        return { raise: barrier({ kind: 'key', objectKey }), concerns: isSame };
      case 3:
        return { raise: range(''), concerns: isInBucket };
      case 4:
        return {
          raise: range(prefixOf(index)),
          concerns: other => isInBucket(other) && prefixOf(other) === prefixOf(index),
        };
      default:
        return {
          raise: barrier({ kind: 'tag', slot: tagSlotOf(tagOf(index)) }),
          concerns: other => tagOf(other) === tagOf(index),
        };
    }
  };
  const stop = new Int32Array(memory.stop);
  for (let turn = 0; isRunning(memory); turn++) {
    const index = Math.floor(Math.random() * OBJECTS);
    const object = objects[index];
    if (!object) continue;
    const { raise, concerns } = orderOf(turn, index, object);
    const known = begun.map((_, at) => Atomics.load(begun, at));
    raise();
    for (const [at, version] of known.entries()) if (concerns(at)) raiseTo(purged, at, version);
    Atomics.wait(stop, 0, 0, turn % PURGES === 0 ? REST_MS : PURGE_INTERVAL_MS);
  }
}

/** Two threads purge at the same time. */
function raiseTo(words: Int32Array, at: number, value: number): void {
  for (let known = Atomics.load(words, at); known < value; known = Atomics.load(words, at))
    Atomics.compareExchange(words, at, known, value);
}

/** What a reader remembers of a version: the barriers up to this one have been applied to it. */
interface Applied {
  readonly version: number;
  readonly barrier: number;
}

function read({ memory, worker }: StressStart): void {
  const { product } = memory;
  const [epochs, barriers] = [new Epochs(product), new PurgeBarriers(product)];
  const pins = new SlotPins(product, worker);
  const texts = new SlotTexts(product, 0, pins);
  const places = new Places(memory);
  const [begun, purged] = [new Int32Array(memory.begun), new Int32Array(memory.purged)];
  const counts = new Counts(memory, worker);
  const applied: Applied[] = [];
  /** As `RemoteContent`: where contents were, long ago perhaps. */
  const remembered: (Place | undefined)[] = [];
  const stop = new Int32Array(memory.stop);
  /** As `EntryTable.get`: whether no purge concerns the content. */
  const holds = (index: number, { objectKey, tagSlots }: StressObject, place: Place) => {
    if (place.epoch !== epochs.current(objectKey)) return false;
    const last = applied[index];
    const since = last?.version === place.version ? last.barrier : place.barrier;
    if (since === barriers.latest) return true;
    const { standing = since } = barriers;
    if (barriers.removes(objectKey.text, tagSlots, since)) return false;
    applied[index] = { version: place.version, barrier: standing };
    return true;
  };
  while (isRunning(memory)) {
    const index = Math.floor(Math.random() * OBJECTS);
    const object = objects[index];
    if (!object) continue;
    counts.add('lookups');
    const purgedBefore = Atomics.load(purged, index);
    if (Math.random() < LEARNT[index % 2 === 0 ? 'often' : 'seldom'])
      remembered[index] = places.get(index) ?? remembered[index];
    const begunBefore = Atomics.load(begun, index);
    const text = Math.random() < ASKED ? undefined : texts.getTold(object.objectKey.text);
    if (text) counts.add('told');
    if (text && isTextTorn(pins, texts, text, stop)) counts.add('torn');
    const told = text && placeOf(text);
    // what was told must be taken back before the next version is begun
    if (told && told.version < begunBefore) counts.add('stale');
    const place = told ?? remembered[index];
    if (!place) continue;
    if (!holds(index, object, place) || !pins.acquire(place.slot, place.tag)) {
      counts.add('refused');
      continue;
    }
    counts.add('pinned');
    if (Math.random() < 1 / HELD_ONE_OF) Atomics.wait(stop, 0, 0, HELD_MS);
    if (told?.isAlone ? isTextTornAt(texts, place) : isTorn(pins, index, place)) counts.add('torn');
    if (place.version <= purgedBefore) counts.add('stale');
    pins.release(place.slot);
  }
}

/** Whether what is told in the slot of a text is not one text, or does not stay the same while the slot is pinned. */
function isTextTorn(pins: SlotPins, texts: SlotTexts, { slot }: ToldText, stop: Int32Array): boolean {
  // by now it may be another text than the one that was found
  if (pins.acquireTold(slot) === undefined) return false;
  const saidNow = () => {
    const said = texts.read(slot);
    return said && numberOf(said);
  };
  const first = saidNow();
  if (Math.random() < 1 / TEXT_HELD_ONE_OF) Atomics.wait(stop, 0, 0, TEXT_HELD_MS);
  const isTorn = first === undefined || saidNow() !== first;
  pins.release(slot);
  return isTorn;
}

/** Whether the text alone in a pinned slot is not one text, of the version of `place`. */
function isTextTornAt(texts: SlotTexts, { slot, version }: Place): boolean {
  const [said, same] = [texts.read(slot), texts.read(slot)];
  return !said || !same || numberOf(said) === undefined || same.rest.count() !== version;
}

/** Whether a pinned content is not, or does not stay, the one of the tag. */
function isTorn(pins: SlotPins, index: number, place: Place): boolean {
  const words = wordsAt(pins, place);
  if (!isContent(words, index, place.version)) return true;
  // replaced or to be evicted: it has to stay as it is all the same
  for (let looks = pins.tag(place.slot) === place.tag ? 0 : LOOKS; looks > 0; looks--)
    if (Atomics.load(words, 0) !== wordOf(index, place.version, 0)) return true;
  return !isContent(words, index, place.version);
}

function isRunning({ stop }: StressMemory): boolean {
  return Atomics.load(new Int32Array(stop), 0) === 0;
}

const start: StressStart = workerData;
const run = { owner: own, purger: purge, reader: read }[start.role];
run(start);
