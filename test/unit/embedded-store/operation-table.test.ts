import { expect, it } from 'vitest';
import { operations } from '../../../src/embedded-store/operation-table.ts';

it('has one operation for each resource, method and selector', () => {
  const places = operations.map(({ on, method, selector }) => `${on} ${method} ?${selector}`);
  expect(new Set(places).size).toBe(places.length);
});
