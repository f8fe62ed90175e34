import { expect, it } from 'vitest';
import { DesertedPlaces } from '../../../../src/gateway/read/deserted-places.ts';

function placesOf() {
  const places = new DesertedPlaces();
  const gaveWay: string[] = [];
  let number = 0;
  const take = (client = 'one', store = 'store') => {
    const name = `${client} ${++number}`;
    return places.take(store, client, () => gaveWay.push(name));
  };
  return { gaveWay, take };
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
