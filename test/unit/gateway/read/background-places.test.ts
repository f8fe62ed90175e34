import { expect, it } from 'vitest';
import { BackgroundPlaces } from '../../../../src/gateway/read/background-places.ts';

it('each store has sixteen places, which are free again when they are given back', () => {
  const places = new BackgroundPlaces();
  const taken = Array.from({ length: 16 }, () => places.take('one'));
  expect(taken.every(leave => leave !== undefined)).toBe(true);
  expect(places.take('one')).toBeUndefined();
  expect(places.take('other')).toBeDefined();
  taken[3]?.();
  expect(places.take('one')).toBeDefined();
  expect(places.take('one')).toBeUndefined();
});
