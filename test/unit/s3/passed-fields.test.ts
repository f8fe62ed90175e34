import { expect, it } from 'vitest';
import { isCrossOrigin, isLength, isPerResponseField, overridden } from '../../../src/s3/passed-fields.ts';

const field = (name: string, of: 'store' | 'http' = 'http') => ({ name, value: 'x', store: of === 'store' });

it.each([
  ['connection', 'http', true],
  ['transfer-encoding', 'http', true],
  ['date', 'http', true],
  ['server', 'http', true],
  ['x-cache', 'http', true],
  ['etag', 'http', false],
  ['request-id', 'http', false],
  ['request-id', 'store', true],
  ['id-2', 'store', true],
  ['date', 'store', false],
  ['version-id', 'store', false],
] as const)('%s (%s) belongs to one response: %s', (name, of, expected) => {
  expect(isPerResponseField(field(name, of))).toBe(expected);
});

it.each([
  ['vary', 'http', true],
  ['access-control-allow-origin', 'http', true],
  ['origin', 'http', false],
  ['vary', 'store', false],
  ['access-control-allow-origin', 'store', false],
] as const)('row 198: %s (%s) belongs to CORS: %s', (name, of, expected) => {
  expect(isCrossOrigin(field(name, of))).toBe(expected);
});

it('the length is that of the answer, not a field of the store that is called so', () => {
  const fields = [field('content-length'), field('etag'), field('content-length', 'store')];
  expect(fields.map(isLength)).toEqual([true, false, false]);
});

it('overrides take the place of fields of their name, in any case, before all others', () => {
  const raw = ['content-type', 'text/plain', 'etag', 'content-type', 'content-length', '1'];
  expect(overridden(raw, [['Content-Type', 'a/b']])).toEqual([
    ...['Content-Type', 'a/b'],
    ...['etag', 'content-type', 'content-length', '1'],
  ]);
  const same = overridden(raw, []);
  expect(same).toEqual(raw);
  expect(same).not.toBe(raw);
});
