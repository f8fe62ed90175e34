import { afterEach, describe, expect, it, vi } from 'vitest';
import { ByteTextWriter } from '../../../src/cache/byte-text.ts';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { keyedHash } from '../../../src/cache/keyed-hash.ts';
import { PACKED_VERSION, writeHead } from '../../../src/cache/packed-head.ts';
import { allocateSharedMemory, releaseWorker } from '../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { SlotTable } from '../../../src/cache/slot-table.ts';
import { SlotTexts } from '../../../src/cache/slot-texts.ts';
import { interrupt } from '../../support/between-atomics.ts';

const pageBytes = 4 * GRANULE_BYTES;
const slotBytes = 2 * GRANULE_BYTES;
const [owner, other] = [1, 0];

/** A text that tells its version. */
function textOf(key: string, version: number): string {
  const to = new ByteTextWriter();
  writeHead(to, { text: key, barrier: version, tagSlots: [], block: undefined });
  return to.finish(PACKED_VERSION);
}

/** Memory of an owner, and another worker that looks up. */
function twoWorkers() {
  const memory = allocateSharedMemory(2 * 8 * pageBytes, pageBytes, 2);
  const slots = new SlotTable(memory, owner, undefined);
  slots.openPage();
  const pins = new SlotPins(memory, other);
  const texts = new SlotTexts(memory, owner, pins);
  const gone: string[] = [];
  /** Puts a content of `version` into a run, and tells of it. */
  const put = (key: string, version: number, run = slots.holes.take(2) ?? -1) => {
    const told = { evicted: () => gone.push('evicted'), moved: () => gone.push('moved') };
    const slot = slots.occupy(run, told, 1);
    slots.queue.insert(run);
    slots.pins.view(slot, 0, GRANULE_BYTES).fill(version);
    slots.texts.tell(slot, slotBytes, key, textOf(key, version));
    return { run, slot };
  };
  const found = (key: string) => texts.getTold(key)?.head.barrier;
  /** The version of the bytes that a text is about; undefined when they cannot be had any more. */
  const bytesOf = ({ slot, tag }: { readonly slot: number; readonly tag: number }) => {
    if (!pins.acquire(slot, tag)) return undefined;
    const bytes = new Set(pins.view(slot, 0, GRANULE_BYTES));
    pins.release(slot);
    return [...bytes];
  };
  return { memory, slots, pins, texts, put, found, bytesOf, gone };
}

it('what is told is found by any worker, with the tag of the bytes', () => {
  const { slots, texts, put, found, bytesOf } = twoWorkers();
  expect(found('k')).toBeUndefined();
  const { slot } = put('k', 7);
  const text = texts.getTold('k');
  expect(text).toMatchObject({ slot, tag: slots.pins.tag(slot), head: { text: 'k', barrier: 7 } });
  expect(text && bytesOf(text)).toEqual([7]);
  expect([found('l'), slots.texts.get('k', () => true)?.slot]).toEqual([undefined, slot]);
});

it('two keys of one hash are two objects', () => {
  const { put, found } = twoWorkers();
  const [one, two] = ['22074', '31019'].map(key => `4:main1:b9:key ${key}`);
  expect(keyedHash([0, 0], one ?? '')).toBe(keyedHash([0, 0], two ?? ''));
  put(one ?? '', 1);
  expect(found(two ?? '')).toBeUndefined();
  put(two ?? '', 2);
  expect([found(one ?? ''), found(two ?? '')]).toEqual([1, 2]);
});

it('what is told anew is told alone', () => {
  const { slots, texts, put, found } = twoWorkers();
  const { slot } = put('k', 7);
  const before = texts.getTold('k');
  expect(before && texts.isStillTold(before)).toBe(true);
  expect(slots.texts.tell(slot, slotBytes, 'k', textOf('k', 8))).toBe(true);
  expect(found('k')).toBe(8);
  expect(before && texts.isStillTold(before)).toBe(false);
  const now = texts.getTold('k');
  expect(now && [texts.isStillTold(now), now.tag]).toEqual([true, before?.tag]);
  slots.texts.forget(slot);
  expect(now && texts.isStillTold(now)).toBe(false);
  expect([found('k'), slots.texts.get('k', () => true)]).toEqual([undefined, undefined]);
});

it('law 2: of a text that is told very often none is taken for one before', () => {
  const { slots, texts, put } = twoWorkers();
  const { slot } = put('k', 0);
  const before = texts.getTold('k');
  if (!before) throw new Error('not told');
  let toldAgain = 0;
  for (let count = 1; count <= 70_000; count++) {
    slots.texts.tell(slot, slotBytes, 'k', textOf('k', 1));
    if (texts.isStillTold(before)) toldAgain++;
  }
  expect(toldAgain).toBe(0);
  const seen = new Set<number | undefined>();
  for (let count = 0; count < 300; count++) {
    slots.texts.tell(slot, slotBytes, 'k', textOf('k', 1));
    seen.add(texts.getTold('k')?.mark);
  }
  expect(seen.size).toBe(300);
});

it('nothing is told while another worker has pinned the slot, whose own pins are no obstacle', () => {
  const { slots, pins, put, found } = twoWorkers();
  const { slot } = put('k', 7);
  pins.acquire(slot, slots.pins.tag(slot));
  expect(slots.texts.tell(slot, slotBytes, 'k', textOf('k', 8))).toBe(false);
  expect(found('k'), 'what it said is untrue').toBeUndefined();
  pins.release(slot);
  slots.pins.acquire(slot, slots.pins.tag(slot));
  expect(slots.texts.tell(slot, slotBytes, 'k', textOf('k', 8))).toBe(true);
  expect(found('k')).toBe(8);
});

it('a slot that stays since somebody reads it is told of as before', () => {
  const { slots, pins, put, found, bytesOf, texts } = twoWorkers();
  const { run, slot } = put('k', 7);
  pins.acquire(slot, slots.pins.tag(slot));
  expect([slots.evict(run), slots.move(run, slots.holes.take(2) ?? -1)]).toEqual([false, false]);
  expect(found('k')).toBe(7);
  const text = texts.getTold('k');
  expect(text && bytesOf(text)).toEqual([7]);
});

it('what is moved is told where it is, and what is gone is not', () => {
  const { slots, texts, put, found, bytesOf } = twoWorkers();
  const { run, slot } = put('k', 7);
  slots.move(run, slots.holes.take(2) ?? -1);
  const text = texts.getTold('k');
  expect(text?.slot).not.toBe(slot);
  expect(text && bytesOf(text)).toEqual([7]);
  slots.evict(run);
  expect(found('k')).toBeUndefined();
  const again = put('k', 8).run;
  slots.queue.remove(again);
  slots.free(again);
  expect([found('k'), slots.texts.get('k', () => true)]).toEqual([undefined, undefined]);
});

it('a slot of which nothing is told stays so when somebody reads it', () => {
  const { slots, pins, put } = twoWorkers();
  const { run, slot } = put('k', 7);
  slots.texts.forget(slot);
  pins.acquire(slot, slots.pins.tag(slot));
  expect([slots.evict(run), slots.move(run, slots.holes.take(2) ?? -1)]).toEqual([false, false]);
  expect(pins.isTold(slot)).toBe(false);
});

it('what was moved to a slot is not taken for what was told there before', () => {
  const { slots, texts, put } = twoWorkers();
  const { run } = put('k', 7);
  const before = texts.getTold('k');
  const other = put('l', 8);
  slots.evict(run);
  slots.move(other.run, slots.holes.take(2) ?? -1);
  const now = texts.getTold('l');
  expect(now).toMatchObject({ slot: before?.slot, mark: before?.mark });
  expect([before, now].map(text => text && texts.isStillTold(text))).toEqual([false, true]);
});

it('a slot that is used again has the length that it has then', () => {
  const { slots, put, found } = twoWorkers();
  const { slot } = put('k', 7);
  expect(slots.texts.tell(slot, GRANULE_BYTES, 'l', textOf('l', 8))).toBe(true);
  expect(slots.pins.view(slot, 0, GRANULE_BYTES).includes(textOf('l', 8), 0, 'latin1')).toBe(true);
  expect(found('l')).toBe(8);
});

it('nothing is told behind what is longer than can be noted', () => {
  const most = 4095;
  const slots = new SlotTable(allocateSharedMemory(0, (most + 1) * GRANULE_BYTES, 1), 0, undefined);
  slots.openPage();
  const run = slots.holes.take(most + 1) ?? -1;
  const slot = slots.occupy(run, { evicted: () => undefined, moved: () => undefined }, 1);
  const tell = (granules: number) => slots.texts.tell(slot, granules * GRANULE_BYTES, 'k', textOf('k', 7));
  expect([tell(most + 1), slots.texts.isTold(slot)]).toEqual([false, false]);
  expect([tell(most), slots.texts.get('k', () => true)?.slot]).toEqual([true, slot]);
});

it('what is damaged is not known to other workers, and they go on', () => {
  const { slots, pins, texts, put, found } = twoWorkers();
  const { slot } = put('k', 7);
  const behind = slots.pins.view(slot, GRANULE_BYTES, slotBytes - 4);
  for (const fill of [0xff, 0]) {
    behind.fill(fill);
    expect(texts.getTold('k')).toBeUndefined();
  }
  expect(pins.heldSlots).toBe(0);
  put('l', 8);
  expect(found('l')).toBe(8);
});

it('of a worker that died nothing is told', () => {
  const { memory, slots, pins, put, found } = twoWorkers();
  const { slot } = put('k', 7);
  releaseWorker(memory, owner);
  expect(
    slots.texts.get('k', () => true),
    'its successor begins with an empty index',
  ).toBeUndefined();
  expect([found('k'), pins.isTold(slot), pins.acquireTold(slot)]).toEqual([undefined, false, undefined]);
});

describe('law 2: no text is read torn, whatever comes between two operations', () => {
  afterEach(() => vi.restoreAllMocks());

  const works = ['tells anew', 'evicts', 'moves', 'frees', 'begins to change'] as const;

  /** One object of version 1, what its owner does to it, and what may be found of it afterwards. */
  function world(how: (typeof works)[number]) {
    const workers = twoWorkers();
    const { slots, put } = workers;
    const { run, slot } = put('k', 1);
    const place = slots.holes.take(2) ?? -1;
    const refill = () => {
      // whatever is free becomes another content, with the text of another object behind it
      slots.reclaim();
      slots.openPage();
      for (let hole = slots.holes.take(2); hole !== undefined; hole = slots.holes.take(2)) put('l', 9, hole);
    };
    const work = () => {
      if (how === 'tells anew') slots.texts.tell(slot, slotBytes, 'k', textOf('k', 2));
      else if (how === 'evicts') slots.evict(run);
      else if (how === 'moves') slots.move(run, place);
      else if (how === 'frees') {
        slots.queue.remove(run);
        slots.free(run);
      } else {
        slots.texts.forget(slot);
        // where it dies while it tells anew
        if (!slots.pins.isHeldByOthers(slot)) slots.pins.view(slot, GRANULE_BYTES, slotBytes).fill(0xff);
      }
      refill();
    };
    return { ...workers, slot, work };
  }

  it.each(works)('the owner %s what is being looked up', how => {
    let at = 0;
    const seen = new Set<string>();
    for (let isReached = true; isReached; at++) {
      const { pins, texts, bytesOf, work } = world(how);
      let text: ReturnType<SlotTexts['getTold']>;
      const reading = vi.spyOn(texts, 'read');
      const read = reading.mock.results;
      isReached = interrupt(at, () => (text = texts.getTold('k')), work);
      expect(
        read.filter(({ value }) => value === undefined),
        'nothing is read that was not told',
      ).toEqual([]);
      seen.add(text ? `version ${text.head.barrier}` : 'nothing');
      if (text) expect(bytesOf(text) ?? [1], `before operation ${at}`).toEqual([1]);
      expect(pins.heldSlots).toBe(0);
    }
    expect(seen).toContain('version 1');
    expect([...seen].filter(one => !['version 1', 'version 2', 'nothing'].includes(one))).toEqual([]);
  });

  it('nothing is told before it is written', () => {
    const { slots, pins, put } = twoWorkers();
    const write = Buffer.prototype.write;
    const told: (number | undefined)[] = [];
    const writing = vi.spyOn(Buffer.prototype, 'write').mockImplementation(function (this: Buffer, ...given) {
      told.push(pins.acquireTold(slot));
      return Reflect.apply(write, this, given);
    });
    const run = slots.holes.take(2) ?? -1;
    const slot = slots.slotOf(run);
    put('k', 1, run);
    slots.texts.tell(slot, slotBytes, 'k', textOf('k', 2));
    writing.mockRestore();
    expect(told.length).toBeGreaterThan(1);
    expect(told.filter(tag => tag !== undefined)).toEqual([]);
  });

  it.each(works)('it is pinned to be read while the owner %s', how => {
    let [at, read] = [0, 0];
    for (let isReached = true; isReached; at++) {
      const { slots, pins, texts, slot, work } = world(how);
      let [tag, version]: (number | undefined)[] = [];
      isReached = interrupt(at, work, () => {
        tag = pins.acquireTold(slot);
        if (tag !== undefined) version = texts.read(slot)?.head.barrier;
      });
      if (tag === undefined) continue;
      read++;
      const text = texts.read(slot);
      expect(text?.head.barrier, `before operation ${at}`).toBe(version);
      // what the slot holds by now may be another object, of which the key is compared
      if (text?.head.text === 'k') expect(new Set(pins.view(slot, 0, GRANULE_BYTES))).toEqual(new Set([1]));
      pins.release(slot);
      expect(slots.pins.isHeld(slot)).toBe(false);
    }
    expect(read).toBeGreaterThan(0);
  });
});
