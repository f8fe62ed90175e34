import type { CachingRow } from './caching-row.ts';
import { confirmed, control, hit, miss } from './caching-steps.ts';

const maxAge = control('max-age=60');
const unchanged = { 'last-modified': { atS: -10_000 } };

/** RFC 9111 §3, §3.1 and §3.2. */
export const storingRows: readonly CachingRow[] = [
  {
    ...{ paragraph: '3', at: 'all', says: 'what says for how long it is fresh is stored' },
    origin: { head: maxAge },
    requests: [miss(), hit(), hit()],
  },
  {
    ...{ paragraph: '3', at: 'stores', says: 'an answer to HEAD is stored for HEAD' },
    origin: { head: maxAge },
    requests: [
      miss({ method: 'HEAD', asks: ['HEAD'] }),
      hit({ method: 'HEAD' }),
      miss({ gets: { body: 'one' } }),
    ],
  },
  {
    ...{ paragraph: '3', at: 'all', says: 'an answer to HEAD is no content for GET' },
    origin: { head: maxAge },
    requests: [
      miss({ method: 'HEAD', asks: ['HEAD'] }),
      miss({ gets: { body: 'one' } }),
      hit({ method: 'HEAD' }),
    ],
  },
  ...['PROPFIND', 'REPORT', 'OPTIONS', 'MKACTIVITY'].map(
    (method): CachingRow => ({
      ...{ paragraph: '3', at: 'web origins', says: `an answer to ${method} is not stored` },
      origin: { head: maxAge },
      requests: [{ method, gets: {}, asks: [method] }, { method, gets: {}, asks: [method] }, miss()],
    }),
  ),
  {
    ...{ paragraph: '3', at: 'web origins', says: "a 304 to a client's own condition is not stored" },
    origin: { head: maxAge },
    requests: [
      miss({ sends: { 'if-none-match': '"1"' }, gets: { status: 304 }, asks: ['conditional GET'] }),
      miss({ gets: { body: 'one' } }),
    ],
  },
  ...[203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map(
    (status): CachingRow => ({
      ...{
        paragraph: '3',
        at: 'web origins',
        says: `a ${status} that states nothing is stored, by a heuristic`,
      },
      origin: { status, head: unchanged, ...(status === 204 && { body: '' }) },
      requests: [miss({ gets: { status } }), hit({ gets: { status } })],
    }),
  ),
  ...[201, 302, 303, 307, 402, 403, 451, 500].map(
    (status): CachingRow => ({
      ...{ paragraph: '3', at: 'web origins', says: `a ${status} that states nothing is not stored` },
      origin: { status, head: unchanged },
      requests: [miss({ gets: { status } }), miss({ gets: { status } })],
    }),
  ),
  ...[['max-age=60'], ['s-maxage=60'], ['public']].map(
    ([control = '']): CachingRow => ({
      ...{ paragraph: '3', at: 'web origins', says: `a 302 is stored where it says ${control}` },
      origin: { status: 302, head: { ...unchanged, 'cache-control': control } },
      requests: [miss({ gets: { status: 302 } }), hit({ gets: { status: 302 } })],
    }),
  ),
  {
    ...{ paragraph: '3', at: 'web origins', says: 'a 302 is stored where it has Expires' },
    origin: { status: 302, head: { expires: { atS: 60 } } },
    requests: [miss({ gets: { status: 302 } }), hit({ gets: { status: 302 } })],
  },
  {
    ...{
      paragraph: '3',
      at: 'web origins',
      says: 'a final status that nobody knows is stored where it says for how long',
    },
    origin: { status: 299, head: maxAge },
    requests: [miss({ gets: { status: 299 } }), hit({ gets: { status: 299 } })],
  },
  {
    ...{ paragraph: '3', at: 'stores', says: '404 is stored for negativeTtl (docs/semantics.md, Decided 8)' },
    origin: { status: 404 },
    requests: [
      miss({ gets: { status: 404 } }),
      hit({ afterS: 4, gets: { status: 404 } }),
      miss({ afterS: 1, gets: { status: 404 }, asks: ['GET'] }),
    ],
  },
  ...[301, 403, 412].map(
    (status): CachingRow => ({
      ...{ paragraph: '3', at: 'stores', says: `a ${status} is not stored (docs/semantics.md, Decided 8)` },
      origin: { status, head: maxAge },
      requests: [
        { gets: { status }, asks: ['GET'] },
        { gets: { status }, asks: ['GET'] },
      ],
    }),
  ),
  {
    ...{
      paragraph: '3',
      at: 'stores',
      says: 'what has no strong entity tag is not stored (docs/caching.md)',
    },
    origin: { head: { ...maxAge, etag: 'W/"1"' } },
    requests: [
      { gets: { body: 'one' }, asks: ['GET', 'GET'] },
      { gets: { body: 'one' }, asks: ['GET'] },
    ],
  },
  {
    ...{
      paragraph: '3.1',
      at: 'web origins',
      says: 'fields that nobody knows are stored, each line of them',
    },
    origin: { head: { ...maxAge, 'x-unknown': ['a', 'b'] } },
    requests: [
      miss({ gets: { has: { 'x-unknown': 'a, b' } } }),
      hit({ gets: { has: { 'x-unknown': 'a, b' } } }),
    ],
  },
  {
    ...{ paragraph: '3.1', at: 'stores', says: 'fields of the object are stored' },
    origin: { head: { ...maxAge, 'x-amz-meta-a': 'b', 'content-language': 'de' } },
    requests: [miss(), hit({ gets: { has: { 'x-amz-meta-a': 'b', 'content-language': 'de' } } })],
  },
  {
    ...{ paragraph: '3.1', at: 'all', says: 'fields that Connection names are not stored' },
    origin: { head: { ...maxAge, connection: 'x-amz-meta-hop', 'x-amz-meta-hop': '1' } },
    requests: [miss({ gets: { lacks: ['x-amz-meta-hop'] } }), hit({ gets: { lacks: ['x-amz-meta-hop'] } })],
  },
  ...['proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization'].map(
    (name): CachingRow => ({
      ...{ paragraph: '3.1', at: 'all', says: `${name} is not stored` },
      origin: { head: { ...maxAge, [name]: 'Basic' } },
      requests: [miss({ gets: { lacks: [name] } }), hit({ gets: { lacks: [name] } })],
    }),
  ),
  {
    ...{ paragraph: '3.1', at: 'web origins', says: 'trailers are not stored among the fields' },
    origin: { head: { ...maxAge, trailer: 'x-late' }, trailers: { 'x-late': '1' } },
    requests: [miss({ gets: { lacks: ['x-late'] } }), hit({ gets: { body: 'one', lacks: ['x-late'] } })],
  },
  {
    ...{
      paragraph: '3.2',
      at: 'all',
      says: 'fields that come with a confirmation take the place of those of their name',
    },
    origin: {
      head: { 'cache-control': 'max-age=1', 'x-amz-meta-a': 'old' },
      confirms: { 'cache-control': 'max-age=9', 'x-amz-meta-a': 'new', 'x-amz-meta-b': 'added' },
    },
    requests: [
      miss(),
      confirmed({ afterS: 1, gets: { has: { 'x-amz-meta-a': 'new', 'x-amz-meta-b': 'added' } } }),
      hit({ afterS: 8, gets: { has: { 'x-amz-meta-a': 'new', 'cache-control': 'max-age=9' }, body: 'one' } }),
    ],
  },
  {
    ...{
      ...{ paragraph: '3.2', at: 'web origins' },
      says: "fields that a confirmation names as one client's replace those stored where a targeted field counts (RFC 9213)",
    },
    origin: {
      head: { 'cdn-cache-control': 'max-age=1', 'x-a': 'old' },
      confirms: { 'cache-control': 'private="x-a"', 'x-a': 'new' },
    },
    requests: [
      miss({ gets: { has: { 'x-a': 'old' } } }),
      confirmed({ afterS: 1, gets: { has: { 'x-a': 'new' } } }),
      hit({ gets: { has: { 'x-a': 'new' } } }),
    ],
  },
  {
    ...{ paragraph: '3.2', at: 'web origins', says: 'fields that a confirmation leaves out stay' },
    origin: {
      head: { 'cache-control': 'max-age=1', 'x-a': 'old' },
      confirms: { 'cache-control': 'max-age=9' },
    },
    requests: [
      miss(),
      confirmed({ afterS: 1, gets: { has: { 'x-a': 'old' } } }),
      hit({ gets: { has: { 'x-a': 'old' } } }),
    ],
  },
  {
    ...{
      paragraph: '3.2',
      at: 'stores',
      says: 'fields that a HEAD leaves out are gone, as it tells all (docs/caching.md)',
    },
    origin: {
      head: { 'cache-control': 'max-age=1', 'x-amz-meta-a': 'old' },
      confirms: { 'cache-control': 'max-age=9', 'content-length': '3' },
    },
    requests: [miss(), confirmed({ afterS: 1, gets: { lacks: ['x-amz-meta-a'] } })],
  },
  {
    ...{
      paragraph: '3.2',
      at: 'web origins',
      says: 'fields of the stored content are not changed by a confirmation',
    },
    origin: {
      head: { 'cache-control': 'max-age=1', 'content-type': 'text/plain' },
      confirms: { 'cache-control': 'max-age=9', 'content-type': 'text/html', 'content-encoding': 'gzip' },
    },
    requests: [
      miss(),
      confirmed({ afterS: 1, gets: { has: { 'content-type': 'text/plain' }, lacks: ['content-encoding'] } }),
      hit({ gets: { has: { 'content-type': 'text/plain', 'content-length': '3' }, body: 'one' } }),
    ],
  },
  {
    ...{
      paragraph: '3.2',
      at: 'web origins',
      says: 'fields that may not be stored are not taken from a confirmation',
    },
    origin: {
      head: { 'cache-control': 'max-age=1' },
      confirms: {
        'cache-control': 'max-age=9',
        connection: 'x-hop',
        'x-hop': '1',
        'proxy-authenticate': 'Basic',
      },
    },
    requests: [miss(), confirmed({ afterS: 1 }), hit({ gets: { lacks: ['x-hop', 'proxy-authenticate'] } })],
  },
];
