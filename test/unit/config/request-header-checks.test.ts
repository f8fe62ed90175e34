import { expect, it } from 'vitest';
import { requestHeaders } from '../../../src/config/request-header-checks.ts';

const set = (value: string) => [{ keys: ['**'], requestHeaders: { set: { 'x-tenant': value }, remove: [] } }];
const alone = { main: {}, other: {} };

type Buckets = Parameters<typeof requestHeaders>[0]['buckets'];

const found = (buckets: Buckets, backends: Parameters<typeof requestHeaders>[0]['backends'] = alone) =>
  [...requestHeaders({ backends, buckets })].map(({ path, allowed }) => `${path.join('.')}: ${allowed}`);

it('buckets at one place have the same, since they share what is cached', () => {
  const shared = { backend: 'main', bucket: 'shared' };
  const ta = { ...shared, rules: set('a') };
  const told = (name: string) =>
    expect.stringContaining(`the same as in ${name}, which is at the same place`);
  expect(found({ ta, tb: { ...shared, rules: set('b') } })).toEqual([told('tb'), told('ta')]);
  expect(found({ ta, tb: shared })).toEqual([told('tb')]);
  expect(found({ ta, shared: { backend: 'main' } })).toEqual([told('shared')]);
  expect(found({ ta, '*': { backend: 'main' } })).toEqual([told('*')]);
  expect(found({ ta, '*': { backend: 'main', rules: set('b') } })).toHaveLength(2);
});

it('those at other places, and those with the same, have what they like', () => {
  const ta = { backend: 'main', bucket: 'shared', rules: set('a') };
  const others = {
    tb: { backend: 'other', bucket: 'shared', rules: set('b') },
    tc: { backend: 'main', bucket: 'else', rules: set('c') },
    td: { ...ta, rules: [{ keys: ['x'] }, ...set('a')] },
  };
  expect(found({ ta, ...others })).toEqual([]);
});

it('a fallback is another store, which gets no secrets of the first', () => {
  const problems = [
    ...requestHeaders({
      backends: { main: { fallback: 'other' }, other: {} },
      buckets: { b: { backend: 'main', rules: [{ keys: ['x'] }, ...set('secret')] } },
    }),
  ];
  expect(problems).toEqual([
    {
      path: ['buckets', 'b', 'rules', 1, 'requestHeaders'],
      held: ['x-tenant'],
      allowed: 'nothing, since the fallback other would get them as well',
    },
  ]);
});
