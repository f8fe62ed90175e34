import { beforeEach, expect, it } from 'vitest';
import { FairRoom, type RoomHold } from '../../../src/base/fair-room.ts';

const mebibyte = 1024 * 1024;
let room: FairRoom;
let cut: string[];

beforeEach(() => {
  room = new FairRoom(64 * mebibyte, () => new Error('no memory'));
  cut = [];
});

function take(client: string, mebibytes: number, page = client): RoomHold {
  const hold = room.begin(client, () => cut.push(page));
  hold.resize(mebibytes * mebibyte);
  return hold;
}

it('has room for what it is told, and for one page of any size', () => {
  const alone = take('a', 100);
  expect(() => take('a', 1)).toThrow('memory');
  alone.release();
  const holds = Array.from({ length: 4 }, () => take('a', 16));
  expect(() => take('a', 1)).toThrow('memory');
  for (const hold of [...holds, ...holds]) hold.release();
  expect([room.usedBytes, cut]).toEqual([0, []]);
});

it('the client that holds most gives way, oldest page first; it alone is refused', () => {
  for (const page of ['first', 'second', 'third', 'fourth']) take('greedy', 15, page);
  take('modest', 4);
  expect(() => take('greedy', 1)).toThrow('memory');
  expect(cut).toEqual([]);
  take('newcomer', 1);
  take('modest', 15);
  expect(cut).toEqual(['first', 'second']);
  expect(room.usedBytes).toBe(50 * mebibyte);
});

it('nobody gives way to a client that would hold as much', () => {
  take('a', 32);
  take('b', 32);
  expect(() => take('c', 32)).toThrow('memory');
  take('c', 31);
  expect(cut).toEqual(['a']);
});

it('a page that had to give way, or finds no room to grow, holds nothing', () => {
  const page = take('a', 40);
  take('b', 30);
  expect(cut).toEqual(['a']);
  expect(() => page.resize(1)).toThrow('memory');
  const other = take('a', 10);
  expect(() => other.resize(60 * mebibyte)).toThrow('memory');
  expect(room.usedBytes).toBe(30 * mebibyte);
});
