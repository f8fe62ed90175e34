import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writtenTargets } from '../../../../src/gateway/web/written-targets.ts';

const base = '/dir/page?a=1';
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

it.each([
  ["/q?x='1'", '/q', "x='1'"],
  ["http://h:1/q?x='1'#f", '/q', "x='1'"],
  ['//h', '/', undefined],
  ['HTTPS://h?y', '/', 'y'],
  ["b?x='1'", '/dir/b', "x='1'"],
  ["?x='1'", '/dir/page', "x='1'"],
  ['', '/dir/page', 'a=1'],
  ['#f', '/dir/page', 'a=1'],
  ['/q?', '/q', ''],
  ['/a b?c d', '/a%20b', 'c%20d'],
  ['/a\tb', '/a%09b', undefined],
])('%j names %j with the query %j', (reference, path, query) => {
  expect(writtenTargets(reference, base)).toEqual([{ path, query }]);
});

it.each([
  ['../d{1}/./e/..', '/dir/../d{1}/./e/..', '/d{1}/'],
  ['/../../x/.', '/../../x/.', '/x/'],
])('%j names %j, and the same without dot segments: %j', (reference, ...paths) => {
  expect(writtenTargets(reference, base)).toEqual(paths.map(path => ({ path, query: undefined })));
});

it('what must be escaped is, with digits in either case', () => {
  expect(writtenTargets(latin1("/f/ü?q='"), base)).toEqual([
    { path: '/f/%C3%BC', query: "q='" },
    { path: '/f/%c3%bc', query: "q='" },
  ]);
  expect(writtenTargets(latin1('/q?ü'), base).map(({ query }) => query)).toEqual(['%C3%BC', '%c3%bc']);
});

it('a path that begins with two slashes is one', () => {
  expect(writtenTargets('x', '//two/three')).toEqual([{ path: '//two/x', query: undefined }]);
});

it('names what parsers of URLs do, but for what they escape', () => {
  const segment = fc.stringMatching(/^[a-z.~-]{0,3}$/);
  const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map(segments => segments.join('/'));
  fc.assert(
    fc.property(path, fc.boolean(), (text, isWhole) => {
      // a segment with a colon or two slashes in front would be something else
      const reference = isWhole ? `/x/${text}` : text.replace(/^\/+/, '');
      const parsed = new URL(reference, `http://h${base}`);
      const query = parsed.search === '' ? undefined : parsed.search.slice(1);
      expect(writtenTargets(reference, base).at(-1)).toEqual({ path: parsed.pathname, query });
    }),
    { numRuns: 2_000 },
  );
});
