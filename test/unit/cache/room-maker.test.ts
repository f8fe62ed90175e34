import { beforeEach, expect, it } from 'vitest';
import { NOTHING_KEPT } from '../../../src/cache/aged-runs.ts';
import { FillGaps } from '../../../src/cache/fill-gaps.ts';
import { GRANULE_BYTES } from '../../../src/cache/granules.ts';
import { RoomMaker } from '../../../src/cache/room-maker.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { SlotTable } from '../../../src/cache/slot-table.ts';
import { Random } from '../../fuzz/random.ts';

const granulesPerPage = 64;
const pageBytes = granulesPerPage * GRANULE_BYTES;

let slots: SlotTable;
let room: RoomMaker;
let gaps: FillGaps;
/** Lengths of what was moved, and runs of what was evicted. */
let moved: number[];
let evicted: number[];
let contents: number;
let pages: number;

beforeEach(() => setUp(8));

function setUp(pageCount: number): void {
  pages = pageCount;
  slots = new SlotTable(allocateSharedMemory(pages * pageBytes, pageBytes, 1), 0, undefined);
  gaps = new FillGaps(slots.runs);
  room = new RoomMaker(slots, { current: () => NOTHING_KEPT }, gaps);
  moved = [];
  evicted = [];
  contents = 0;
}

/** A block that is being filled; undefined where there is no room. */
function fill(length: number): number | undefined {
  const run = room.take(length);
  if (run === undefined) return undefined;
  slots.occupy(run, { evicted: () => evicted.push(run), moved: () => moved.push(length) }, contents++);
  slots.wasRead(run);
  return run;
}

/** A block that must find room. */
function filled(length: number): number {
  const run = fill(length);
  if (run === undefined) throw new Error(`no room for ${length} granules`);
  return run;
}

function readAgain(run: number): void {
  slots.pins.visit(slots.slotOf(run));
  slots.queue.promote(run);
}

/** Makes what was inserted before older, by the lengths of what comes and goes in `filling`. */
function age(filling: number): void {
  for (let turn = 0; turn < 20; turn++) {
    slots.queue.insert(filling);
    slots.queue.remove(filling);
  }
}

it('a hole is not widened over what is longer and was read again, but over what was read once', () => {
  for (let page = 1; page < pages; page++) filled(granulesPerPage);
  const [again, older, alsoAgain, younger, once, filling] = [16, 4, 16, 4, 16, 8].map(filled) as [
    ...[number, number, number, number, number, number],
  ];
  for (const run of [again, alsoAgain, older, younger]) slots.queue.insert(run);
  for (const run of [again, alsoAgain]) readAgain(run);
  age(filling);
  slots.queue.insert(once);
  expect(room.take(6)).toBeDefined();
  expect([evicted, moved]).toEqual([[older, younger, once], []]);
});

it('of two holes that one is widened which costs less: something short is moved before something long is evicted', () => {
  for (let page = 1; page < pages; page++) filled(granulesPerPage);
  const [, older, once, filling, younger, short] = [8, 4, 16, 8, 4, 2, 22].map(filled) as [
    ...[number, number, number, number, number, number],
  ];
  for (const run of [older, younger]) slots.queue.insert(run);
  age(filling);
  for (const run of [once, short]) slots.queue.insert(run);
  expect(room.take(6)).toBeDefined();
  expect([evicted, moved]).toEqual([[older, younger], [2]]);
});

it('nothing is moved that is longer than the block for which it makes room', () => {
  const random = new Random(1);
  let moves = 0;
  for (let turn = 0; turn < 2_000; turn++) {
    const length = 1 + random.int(random.int(4) === 0 ? granulesPerPage - 1 : 12);
    moved = [];
    const run = filled(length);
    expect(Math.max(0, ...moved)).toBeLessThanOrEqual(length);
    moves += moved.length;
    slots.queue.insert(run);
    if (random.int(3) === 0) readAgain(run);
  }
  expect(moves).toBeGreaterThan(100);
});

/** Fills each page with short blocks that can be evicted, and one of `length` behind them, for which `placed` is called. */
function crowd(short: number, length: number, placed: (run: number) => void): void {
  for (let page = 0; page < pages; page++) {
    for (let left = granulesPerPage - length; left > 0; left -= short) slots.queue.insert(filled(short));
    placed(filled(length));
  }
}

it('law 8: nothing is evicted where what is being filled leaves no room in any page, however much can be', () => {
  crowd(4, 40, run => gaps.begin(run));
  expect(room.take(25)).toBeUndefined();
  expect([evicted, moved]).toEqual([[], []]);
  expect(room.take(24)).toBeDefined();
});

it('room is found at once in the only page that has some between what is being filled, of however many pages', () => {
  setUp(32);
  const filling: number[] = [];
  crowd(1, 33, run => filling.push(run));
  for (const run of filling) gaps.begin(run);
  const complete = filling[20] ?? 0;
  gaps.end(complete);
  slots.queue.insert(complete);
  const page = slots.pageOf(slots.slotOf(complete));
  const run = room.take(60);
  expect(run === undefined ? undefined : slots.pageOf(slots.slotOf(run))).toBe(page);
});

it('what is moved has been read as often as before', () => {
  const run = filled(5);
  slots.pins.setVisits(slots.slotOf(run), 2);
  const [before, place] = [slots.slotOf(run), slots.holes.take(5)];
  if (place === undefined) throw new Error('there is no hole');
  expect(slots.move(run, place)).toBe(true);
  expect(slots.slotOf(run)).not.toBe(before);
  expect(slots.pins.visits(slots.slotOf(run))).toBe(2);
});
