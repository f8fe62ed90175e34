import type { CachingRow } from './caching-row.ts';
import { confirmed, control, hit, miss } from './caching-steps.ts';

const maxAge = control('max-age=60');

/** RFC 9111 §4. */
export const reuseRows: readonly CachingRow[] = [
  {
    ...{ paragraph: '4', at: 'all', says: 'a stored answer is for its own target alone' },
    origin: { head: maxAge },
    requests: [miss(), miss({ path: '/b/other' }), hit()],
  },
  {
    ...{ paragraph: '4', at: 'web origins', says: 'the query belongs to the target' },
    origin: { head: maxAge },
    requests: [miss({ path: '/b/k?a=1' }), miss({ path: '/b/k?a=2' }), hit({ path: '/b/k?a=1' })],
  },
  {
    ...{
      paragraph: '4',
      at: 'stores',
      says: 'a parameter that is unknown belongs to no object (docs/semantics.md 237)',
    },
    origin: { head: maxAge },
    requests: [miss({ path: '/b/k?x-id=GetObject' }), hit()],
  },
  {
    ...{ paragraph: '4', at: 'all', says: 'HEAD is answered by a stored answer to GET' },
    origin: { head: maxAge },
    requests: [miss(), hit({ method: 'HEAD', gets: { body: '', has: { 'content-length': '3' } } })],
  },
  {
    ...{
      paragraph: '4',
      at: 'web origins',
      says: 'another method is not answered by a stored answer to GET',
    },
    origin: { head: maxAge },
    requests: [miss(), { method: 'OPTIONS', gets: {}, asks: ['OPTIONS'] }],
  },
  {
    ...{ paragraph: '4', at: 'all', says: 'what is fresh is used without a question, and its Age is told' },
    origin: { head: maxAge },
    requests: [miss({ gets: { lacks: ['age'] } }), hit({ afterS: 7, gets: { has: { age: '7' } } })],
  },
  {
    ...{ paragraph: '4', at: 'all', says: 'the Age that came is replaced by the age that it has' },
    origin: { head: { ...maxAge, age: '5' } },
    requests: [miss(), hit({ afterS: 7, gets: { has: { age: '12' } } })],
  },
  {
    ...{ paragraph: '4', at: 'all', says: 'what is stale is confirmed before it is used' },
    origin: { head: { 'cache-control': 'max-age=1' } },
    requests: [miss(), confirmed({ afterS: 1, gets: { body: 'one' } })],
  },
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'MKACTIVITY'].map(
    (method): CachingRow => ({
      ...{ paragraph: '4', at: 'web origins', says: `each ${method} goes to the origin, whatever is stored` },
      origin: { head: maxAge },
      requests: [
        miss(),
        { method, gets: { body: 'one' }, asks: [method] },
        { method, gets: { body: 'one' }, asks: [method] },
      ],
    }),
  ),
  {
    ...{ paragraph: '4', at: 'stores', says: 'each DELETE goes to the store, whatever is stored' },
    origin: { head: maxAge },
    requests: [miss(), ...[1, 2].map(() => ({ method: 'DELETE', gets: {}, asks: ['DELETE'] }))],
  },
  ...(
    [
      ['web origins', ['conditional GET']],
      ['stores', ['HEAD', 'GET']],
    ] as const
  ).map(
    ([at, asks]): CachingRow => ({
      ...{ paragraph: '4', at, says: 'of two answers the later one is used' },
      policy: { clientDirectives: 'honour' },
      origin: { head: maxAge },
      requests: [
        miss(),
        {
          origin: { head: { ...maxAge, etag: '"2"' }, body: 'two' },
          ...{ afterS: 1, sends: { 'cache-control': 'no-cache' }, gets: { body: 'two' }, asks },
        },
        hit({ gets: { body: 'two' } }),
      ],
    }),
  ),
  {
    ...{ paragraph: '1.2.2', at: 'all', says: 'a number that is too large counts as 2147483648' },
    policy: { maxTtlMs: 2 ** 43 },
    origin: { head: { 'cache-control': `max-age=${'9'.repeat(40)}` } },
    requests: [miss(), hit({ afterS: 2 ** 31 - 1 }), confirmed({ afterS: 1 })],
  },
];
