import { expect, it } from 'vitest';
import { BackgroundPlaces } from '../../../../src/gateway/read/background-places.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function placesOf() {
  const clock = new ManualClock();
  const places = new BackgroundPlaces(clock);
  const gaveWay: string[] = [];
  let number = 0;
  const take = (client = 'one', store = 'store') => {
    const name = `${client} ${++number}`;
    return places.take(store, client, () => gaveWay.push(name));
  };
  return { clock, gaveWay, take };
}

it('each store has sixteen places, which are free again when they are given back', () => {
  const { gaveWay, take } = placesOf();
  const taken = Array.from({ length: 16 }, () => take());
  expect(taken.every(leave => leave !== undefined)).toBe(true);
  expect(take()).toBeUndefined();
  expect(take('one', 'other')).toBeDefined();
  taken[3]?.();
  expect(take()).toBeDefined();
  expect(take()).toBeUndefined();
  expect(gaveWay).toEqual([]);
});

it('who has most gives way to others, until all have as many', () => {
  const { gaveWay, take } = placesOf();
  for (let count = 0; count < 16; count++) take('greedy');
  for (let count = 0; count < 8; count++) expect(take('other')).toBeDefined();
  expect(gaveWay).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(count => `greedy ${count}`));
  expect(take('other')).toBeUndefined();
  expect(take('greedy')).toBeUndefined();
  expect(take('third')).toBeDefined();
});

it('what is overdue takes no place of others, but goes on; so many do at a time', () => {
  const { clock, gaveWay, take } = placesOf();
  const [first] = Array.from({ length: 16 }, () => take());
  clock.advance(999);
  expect(take()).toBeUndefined();
  clock.advance(1);
  for (let round = 0; round < 2; round++) {
    for (let count = 0; count < 16; count++) expect(take()).toBeDefined();
    expect(take()).toBeUndefined();
    clock.advance(1_000);
  }
  expect(take()).toBeUndefined();
  // one that is answered makes room for the next that is overdue
  first?.();
  expect(take()).toBeDefined();
  expect(gaveWay).toEqual([]);
});

it('where none may go on beside the places, what is overdue keeps its place', () => {
  const clock = new ManualClock();
  const places = new BackgroundPlaces(clock, 0);
  for (let count = 0; count < 16; count++) places.take('store', 'one', () => undefined);
  clock.advance(60_000);
  expect(places.take('store', 'one', () => undefined)).toBeUndefined();
});
