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
    expect.stringContaining(
      `the same as in buckets.${name === '*' ? `"*"` : name}, which is at the same place`,
    );
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

it.each([
  // keys of one, keys of the other, which is at `a/` of it, whether they are the same there
  ['**', '**', true],
  ['a/**', '**', true],
  ['**', 'x', false],
  ['a/**', 'a/**', false],
  ['a/x', 'x', false],
  ['b/**', 'a/**', false],
])('%s, and %s of a bucket with a prefix, are the same: %s', (of, below, areSame) => {
  const [first] = set('a');
  const shared = { backend: 'main', bucket: 'shared' };
  const at = (keys: string) => ({ ...shared, rules: [{ ...first, keys: [keys] }] });
  const problems = found({ one: at(of), other: { ...at(below), keyPrefix: 'a/' } });
  expect(problems).toHaveLength(areSame ? 0 : 2);
});

it('below prefixes of which neither begins the other each has what it likes', () => {
  const shared = { backend: 'main', bucket: 'shared' };
  const at = (keyPrefix: string) => ({ ...shared, keyPrefix, rules: set(keyPrefix) });
  expect(found({ one: at('a/'), other: at('b/') })).toEqual([]);
  expect(found({ one: at('a/'), other: at('a/b/') })).toHaveLength(2);
});

it('all paths of a web origin begin with a slash', () => {
  const [first] = set('a');
  const rules = [{ ...first, keys: ['/**'] }];
  const buckets = { site: { backend: 'main', rules }, docs: { backend: 'main', keyPrefix: '/docs', rules } };
  const shared = Object.fromEntries(
    Object.entries(buckets).map(([name, bucket]) => [name, { ...bucket, bucket: 'o' }]),
  );
  expect(found(shared, { main: { type: 'http' } })).toEqual([]);
  expect(found(shared, { main: { type: 's3' } })).toHaveLength(2);
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
