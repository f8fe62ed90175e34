import fc from 'fast-check';
import { expect, it } from 'vitest';
import { objectKey } from '../../src/cache/object-key.ts';
import type { WebRules } from '../../src/gateway/request/bucket.ts';
import { keyedQuery, targetOfKey, type WebBucket, webTarget } from '../../src/gateway/web/web-target.ts';
import { variantName } from '../../src/http/vary.ts';
import { keptBytesOf } from '../support/kept-bytes.ts';
import { slots } from '../support/object-keys.ts';

const letters = ['a', 'b', '/', '?', '&', '=', ':', '%', '-', '1', '.'];
const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 });
const host = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':', '1'), maxLength: 4 });

const place = fc.record({
  backend: text,
  bucket: text,
  scheme: fc.constantFrom('http', 'https'),
  host,
  path: text.map(path => `/${path.replaceAll('?', '')}`),
  query: fc.option(text, { nil: undefined }),
});

function bucketOf(backend: string, bucketAtStore: string, web: Partial<WebRules>): WebBucket {
  const rules = {
    host: { kind: 'origin' },
    forwarded: false,
    originHost: '',
    pathPrefix: '',
    storesCookies: false,
  };
  const query = { names: 'all', isSorted: false };
  const epochs = slots.of({ backend, bucket: bucketAtStore });
  return {
    store: { identity: backend },
    bucketAtStore,
    epochs,
    web: { ...rules, query, ...web },
  } as unknown as WebBucket;
}

function nameOf(one: typeof place extends fc.Arbitrary<infer Place> ? Place : never, web: Partial<WebRules>) {
  const bucket = bucketOf(one.backend, one.bucket, web);
  const { path, query, host: asked } = one;
  return webTarget({ bucket, path, query, host: asked }, one.scheme);
}

it('two requests have one name only if they are the same to the origin: backend, bucket, scheme, host, path and query', () => {
  fc.assert(
    fc.property(place, place, (one, other) => {
      const rules: Partial<WebRules> = { forwarded: true };
      const isSame = JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(other));
      expect(nameOf(one, rules).key.text === nameOf(other, rules).key.text).toBe(isSame);
    }),
    { numRuns: 3_000 },
  );
});

it('where the origin learns neither scheme nor host, requests that differ in these alone have one name', () => {
  fc.assert(
    fc.property(place, place, (one, other) => {
      const isSame =
        one.backend === other.backend &&
        one.bucket === other.bucket &&
        one.path === other.path &&
        one.query === other.query;
      expect(nameOf(one, {}).key.text === nameOf(other, {}).key.text).toBe(isSame);
    }),
    { numRuns: 3_000 },
  );
});

it('what is asked for missing bytes is what was asked first', () => {
  fc.assert(
    fc.property(place, fc.boolean(), (one, forwarded) => {
      const rules: Partial<WebRules> = { forwarded, pathPrefix: '/p' };
      const { key, target } = nameOf(one, rules);
      const told = targetOfKey(bucketOf(one.backend, one.bucket, rules), key);
      expect(told.target).toBe(target);
      if (forwarded) expect([told.scheme, told.host]).toEqual([one.scheme, one.host]);
    }),
  );
});

it('variants have one name only if they have the same fields with the same values', () => {
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'ab', '1'), text, { noNullPrototype: false });
  const named = (held: Record<string, string>) =>
    variantName(Object.keys(held).sort(), name => (Object.hasOwn(held, name) ? held[name] : undefined));
  const sorted = (held: Record<string, string>) => JSON.stringify(Object.entries(held).sort());
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      expect(named(one) === named(other)).toBe(sorted(one) === sorted(other));
    }),
    { numRuns: 3_000 },
  );
});

it('what a list leaves of a query does not depend on what it leaves out, and sorting twice is sorting once', () => {
  fc.assert(
    fc.property(text, text, (query, more) => {
      const listed = { names: new Set(['a']), isSorted: false };
      const kept = keyedQuery(query, listed);
      expect(keyedQuery(`${query}&b=${more.replaceAll('&', '')}`, listed)).toBe(kept);
      const once = keyedQuery(query, { names: 'all', isSorted: true });
      expect(keyedQuery(once.slice(1), { names: 'all', isSorted: true })).toBe(once);
    }),
  );
});

it('a name is that of no store object of the same backend and bucket with another key', () => {
  const at = { backend: 'b', bucket: 'c' };
  expect(objectKey(at, '/x', slots.of(at)).text).not.toBe(objectKey(at, 'x', slots.of(at)).text);
});

it.each([
  ['all of it is the name', { forwarded: false }],
  ['the host is in front', { forwarded: true }],
  ['the origin has it in a folder', { pathPrefix: '/folder' }],
] as const)('a name without its query keeps nothing of the URL (%s)', (_what, rules) => {
  const bucket = bucketOf('web', '/', { ...rules, query: { names: new Set(), isSorted: false } });
  const kept = keptBytesOf(url =>
    webTarget(
      { bucket, path: url.slice(0, url.indexOf('?')), query: url.slice(url.indexOf('?') + 1), host: 'a' },
      'http',
    ),
  );
  expect(kept).toBeLessThan(2_000);
});

it.each([
  ['b%20c=1&d=2', '?b%20c=1'],
  ['b+c=1&b+d=2', '?b+c=1'],
  ['x%2By=1&x+y=2&x%20y=3', '?x%2By=1&x+y=2'],
  ['B+C=1&+=2', ''],
  ['%zz=1&%zy=2', '?%zz=1'],
])('of %s what is named is kept, as forms spell it, too', (query, kept) => {
  expect(keyedQuery(query, { names: new Set(['b c', 'x+y', '%zz', '']), isSorted: false })).toBe(kept);
});

it.each([
  ['b+c=1&b%20c=2&a=3', '?a=3&b+c=1&b%20c=2'],
  ['b%20c=2&b+c=1&a=3', '?a=3&b%20c=2&b+c=1'],
  ['b%2Bc=1&b+c=2', '?b%2Bc=1&b+c=2'],
  ['b+c=2&b%2Bc=1', '?b+c=2&b%2Bc=1'],
])('sorting leaves those of %s in their order whose names may be the same', (query, sorted) => {
  expect(keyedQuery(query, { names: 'all', isSorted: true })).toBe(sorted);
});
