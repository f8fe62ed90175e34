import type { CachingRow } from './caching-row.ts';
import { confirmed, control, hit, miss } from './caching-steps.ts';

const maxAge = control('max-age=60');
const of = (value: string) => ({ 'x-a': value });
const traced = (tenant: string) => ({
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: `tenant=${tenant}`,
});

/** RFC 9111 §4.1. */
export const varyRows: readonly CachingRow[] = [
  {
    ...{
      paragraph: '4.1',
      at: 'web origins',
      says: 'an answer that varies is for requests with the same field',
    },
    origin: { head: { ...maxAge, vary: 'X-A' }, bodyBy: 'x-a' },
    requests: [
      miss({ sends: of('1'), gets: { body: 'for 1' } }),
      miss({ sends: of('2'), gets: { body: 'for 2' } }),
      hit({ sends: of('1'), gets: { body: 'for 1' } }),
      hit({ sends: of('2'), gets: { body: 'for 2' } }),
    ],
  },
  {
    ...{ paragraph: '4.1', at: 'web origins', says: 'where a field is absent, only its absence matches' },
    origin: { head: { ...maxAge, vary: 'x-a' }, bodyBy: 'x-a' },
    requests: [miss({ sends: of('') }), miss({ gets: { body: 'for none' } }), hit()],
  },
  {
    ...{ paragraph: '4.1', at: 'web origins', says: 'all fields that are named have to match' },
    origin: { head: { ...maxAge, vary: ['x-a', 'x-b'] } },
    requests: [
      miss({ sends: { 'x-a': '1', 'x-b': '1' } }),
      miss({ sends: { 'x-a': '1', 'x-b': '2' } }),
      miss({ sends: { 'x-a': '2', 'x-b': '1' } }),
      hit({ sends: { 'x-a': '1', 'x-b': '1', 'x-c': '3' } }),
    ],
  },
  {
    ...{ paragraph: '4.1', at: 'web origins', says: 'white space in a list means nothing' },
    origin: { head: { ...maxAge, vary: 'x-a' } },
    requests: [miss({ sends: of('1, 2') }), hit({ sends: of('1,2') }), miss({ sends: of('2, 1') })],
  },
  ...[
    ['Accept-Language', 'en;q=1.0, de;q=0.50', 'EN,de;q=0.5'],
    ['Accept-Encoding', 'gzip, br', 'br, gzip'],
    ['Accept', 'text/html, text/*;q=0.5', 'text/*; q=0.5, text/html'],
  ].map(
    ([name = '', one = '', other = '']): CachingRow => ({
      ...{
        paragraph: '4.1',
        at: 'web origins',
        says: `${name} that means the same matches (docs/caching.md)`,
      },
      origin: { head: { ...maxAge, vary: name } },
      requests: [miss({ sends: { [name]: one } }), hit({ sends: { [name]: other } })],
    }),
  ),
  {
    ...{
      paragraph: '4.1',
      at: 'web origins',
      says: 'what varies by the trace, which the gateway tells itself, matches no other request',
    },
    origin: { head: { ...maxAge, vary: 'tracestate' }, bodyBy: 'tracestate' },
    requests: [
      miss({ sends: traced('one'), gets: { body: 'for tenant=one' } }),
      miss({ sends: traced('two'), gets: { body: 'for tenant=two' } }),
      miss({ gets: { body: 'for none' } }),
      miss({ sends: traced('one'), gets: { body: 'for tenant=one' } }),
    ],
  },
  {
    ...{
      paragraph: '4',
      at: 'web origins',
      says: 'of those that a request selects the most recent counts, by its date',
    },
    origin: { head: { ...maxAge, vary: 'x-a', date: { atS: 0 } }, body: 'newer' },
    requests: [
      miss({ sends: { 'x-a': '1', 'x-b': '1' }, gets: { body: 'newer' } }),
      miss({
        origin: { head: { ...maxAge, vary: 'x-b', date: { atS: -10 }, etag: '"2"' }, body: 'older' },
        ...{ afterS: 1, sends: { 'x-b': '1' }, gets: { body: 'older' } },
      }),
      hit({ sends: { 'x-a': '1', 'x-b': '1' }, gets: { body: 'newer' } }),
      hit({ sends: { 'x-b': '1' }, gets: { body: 'older' } }),
    ],
  },
  ...[
    { of: 'is still to come', atS: 3_600 },
    { of: 'is later', atS: 0 },
  ].map(
    ({ of: date, atS }): CachingRow => ({
      ...{
        paragraph: '4',
        at: 'web origins',
        says: `what the origin answers now is used, though the date of what is held ${date}`,
      },
      policy: { clientDirectives: 'honour' },
      origin: { head: { ...maxAge, vary: 'x-a', date: { atS } }, body: 'held' },
      requests: [
        miss({ sends: { 'x-a': '1', 'x-b': '1' }, gets: { body: 'held' } }),
        {
          origin: { head: { ...maxAge, vary: 'x-b', date: { atS: -10 }, etag: '"2"' }, body: 'now' },
          ...{ afterS: 1, sends: { 'x-a': '1', 'x-b': '1', 'cache-control': 'no-cache' } },
          ...{ gets: { body: 'now' }, asks: ['conditional GET'] },
        },
        hit({ sends: { 'x-a': '1', 'x-b': '1' }, gets: { body: 'now' } }),
      ],
    }),
  ),
  ...[
    { named: 'x-lang', sends: { x_lang: 'fr' } },
    { named: 'content-type', sends: { 'content-type': 'text/x' } },
  ].map(
    ({ named, sends }): CachingRow => ({
      ...{
        paragraph: '4.1',
        at: 'web origins',
        says: `what answers POST by ${named}, which no GET tells, is for no GET`,
      },
      origin: { head: { ...maxAge, vary: named, 'content-location': '/b/k' }, body: 'for one' },
      requests: [
        { method: 'POST', sends, gets: { body: 'for one' }, asks: ['POST'] },
        miss({
          origin: { head: { ...maxAge, vary: named, etag: '"2"' }, body: 'for all' },
          gets: { body: 'for all' },
        }),
      ],
    }),
  ),
  ...['*', 'x-a, *', 'x a'].map(
    (field): CachingRow => ({
      ...{ paragraph: '4.1', at: 'web origins', says: `what varies by "${field}" matches no other request` },
      origin: { head: { ...maxAge, vary: field } },
      requests: [miss({ sends: of('1') }), miss({ sends: of('1') })],
    }),
  ),
  {
    ...{
      paragraph: '4.1',
      at: 'web origins',
      says: 'each answer that is stale is confirmed with the field that it is for',
    },
    origin: { head: { 'cache-control': 'max-age=1', vary: 'x-a' }, bodyBy: 'x-a' },
    requests: [
      miss({ sends: of('1') }),
      miss({ sends: of('2') }),
      confirmed({ afterS: 1, sends: of('1'), gets: { body: 'for 1' }, carries: of('1') }),
      confirmed({ sends: of('2'), gets: { body: 'for 2' }, carries: of('2') }),
    ],
  },
  {
    ...{
      paragraph: '4.1',
      at: 'stores',
      says: 'answers are told apart by Origin, and share one content (docs/semantics.md, Decided 13)',
    },
    origin: { head: { ...maxAge, vary: 'Origin' } },
    requests: [
      miss({ sends: { origin: 'https://a.test' }, carries: { origin: 'https://a.test' } }),
      {
        sends: { origin: 'https://b.test' },
        gets: { body: 'one' },
        asks: ['GET'],
        carries: { origin: 'https://b.test' },
      },
      hit({ sends: { origin: 'https://a.test' } }),
    ],
  },
];
