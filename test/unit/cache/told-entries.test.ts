import { expect, it } from 'vitest';
import { EntryTable } from '../../../src/cache/entry-table.ts';
import { Generation } from '../../../src/cache/generation.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../src/cache/slot-pins.ts';
import { SlotTexts } from '../../../src/cache/slot-texts.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';

const pageBytes = 65_536;
const objectKey = testKey('main', 'b', 'k');
const unused = (): never => {
  throw new Error('nothing is read here');
};

/** The table of the worker that comes last of so many, with an object of which all is held. */
function owner(workers: number) {
  const memory = allocateSharedMemory(0, pageBytes, workers);
  const tier = new MemoryTier(memory, workers - 1);
  const table = new EntryTable(400_000, tier, new PurgeBarriers(memory));
  const identity = { objectKey: objectKey.text, versionId: undefined, entityTag: '"k"', sizeBytes: 100 };
  const filled = () => table.tell(objectKey);
  const reading = { open: unused, lend: unused, filled };
  const content = new Generation({ ...identity, contentEncoding: undefined }, pageBytes, tier, reading);
  table.put(objectKey, '', recordOf(content));
  content.openBlock(0);
  content.write(0, Buffer.alloc(100));
  content.closeBlock(0);
  const slot = content.onlyBlock?.slot ?? Number.NaN;
  const pins = new SlotPins(memory, 0);
  return { table, content, slot, pins, told: () => new SlotTexts(memory, 1, pins).getTold(objectKey.text) };
}

it('an object is told when its block is complete, and again when what is known of it is another record', () => {
  const { table, content, told } = owner(2);
  const first = told();
  expect(first).toBeDefined();
  table.put(objectKey, '', recordOf(content));
  expect(told()?.mark).not.toBe(first?.mark);
  table.put(objectKey, 'other', recordOf(content));
  expect(told()).toBeDefined();
});

it('one worker alone tells nobody of what is in use', () => {
  expect(owner(1).content.isTold).toBe(false);
});

it('what is told stays so when it is to be told again while somebody reads it', () => {
  const { table, slot, pins, told } = owner(2);
  pins.acquire(slot, pins.tag(slot));
  table.tell(objectKey);
  expect(told()).toBeDefined();
});

it('of several blocks none is the only one', () => {
  const { content } = owner(2);
  expect(content.onlyBlock?.index).toBe(0);
  const long = new Generation(
    { ...content.identity, sizeBytes: 2 * pageBytes },
    pageBytes,
    new MemoryTier(allocateSharedMemory(0, pageBytes, 1), 0),
    { open: unused, lend: unused },
  );
  for (const from of [0, pageBytes]) long.openBlock(from);
  expect(long.onlyBlock).toBeUndefined();
});
