import { expect, it } from 'vitest';
import { RequestIdSource } from '../../../src/s3/request-ids.ts';

it('gives each request an id of 16 hexadecimal digits of its own', () => {
  const source = new RequestIdSource();
  const ids = new Set(Array.from({ length: 70_000 }, () => source.nextRequestId()));
  expect(ids.size).toBe(70_000);
  expect([...ids].every(id => /^[0-9a-f]{16}$/.test(id))).toBe(true);
});

it('counts, so that neighbours in time are neighbours in a list', () => {
  const source = new RequestIdSource();
  const ids = Array.from({ length: 600 }, () => source.nextRequestId());
  expect([...ids].sort()).toEqual(ids);
});

it('tells threads apart', () => {
  expect(new RequestIdSource().nextRequestId()).not.toBe(new RequestIdSource().nextRequestId());
  expect(new RequestIdSource().id2).not.toBe(new RequestIdSource().id2);
});
