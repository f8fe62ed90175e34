import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/embedded-store/operation-table.ts';

it('has one operation for each resource, method and selector', () => {
  const places = OPERATIONS.map(({ on, method, selector }) => `${on} ${method} ?${selector}`);
  expect(new Set(places).size).toBe(places.length);
});
