import type { CachingRow } from './caching-row.ts';
import { confirmed, control, hit, miss, stale } from './caching-steps.ts';

const aSecond = control('max-age=1');
const maxAge = control('max-age=60');
const modified = { 'last-modified': { atS: -10_000 } };

/** RFC 9111 §4.3.1. */
export const validationRows: readonly CachingRow[] = [
  ...['"1"', 'W/"1"'].map(
    (etag): CachingRow => ({
      ...{
        paragraph: '4.3.1',
        at: 'web origins',
        says: `a stored entity tag is sent in If-None-Match: ${etag}`,
      },
      origin: { head: { ...aSecond, etag } },
      requests: [
        miss(),
        confirmed({ afterS: 1, carries: { 'if-none-match': etag, 'if-modified-since': undefined } }),
      ],
    }),
  ),
  {
    ...{ paragraph: '4.3.1', at: 'web origins', says: 'a stored Last-Modified is sent in If-Modified-Since' },
    origin: { head: { ...aSecond, ...modified, etag: undefined } },
    requests: [
      miss(),
      confirmed({
        afterS: 1,
        carries: { 'if-none-match': undefined, 'if-modified-since': { atS: -10_000 } },
      }),
    ],
  },
  {
    ...{ paragraph: '4.3.1', at: 'web origins', says: 'both validators are sent where both are stored' },
    origin: { head: { ...aSecond, ...modified } },
    requests: [
      miss(),
      confirmed({ afterS: 1, carries: { 'if-none-match': '"1"', 'if-modified-since': { atS: -10_000 } } }),
    ],
  },
  {
    ...{ paragraph: '4.3.1', at: 'web origins', says: 'what has no validator is asked for as a whole' },
    origin: { head: { ...aSecond, etag: undefined } },
    requests: [miss(), miss({ afterS: 1 })],
  },
  {
    ...{
      paragraph: '4.3.1',
      at: 'web origins',
      says: "stored validators take the place of a client's conditions and range",
    },
    origin: { head: aSecond },
    requests: [
      miss(),
      confirmed({
        ...{
          afterS: 1,
          sends: { 'if-none-match': '"x"', range: 'bytes=0-1' },
          gets: { status: 206, body: 'on' },
        },
        carries: { 'if-none-match': '"1"', range: undefined },
      }),
    ],
  },
  {
    ...{
      paragraph: '4.3.1',
      at: 'stores',
      says: 'a store is asked by HEAD without conditions (docs/caching.md)',
    },
    origin: { head: { ...aSecond, ...modified } },
    requests: [
      miss(),
      confirmed({ afterS: 1, carries: { 'if-none-match': undefined, 'if-modified-since': undefined } }),
    ],
  },
];

/** RFC 9111 §4.3.3, §4.3.4 and §4.3.5. */
export const validatedRows: readonly CachingRow[] = [
  {
    ...{ paragraph: '4.3.3', at: 'all', says: 'what is confirmed is used, and fresh again' },
    origin: { head: aSecond, confirms: { 'cache-control': 'max-age=9' } },
    requests: [
      miss(),
      confirmed({ afterS: 1, gets: { body: 'one' } }),
      hit({ afterS: 8, gets: { body: 'one' } }),
    ],
  },
  ...(
    [
      ['web origins', ['conditional GET']],
      ['stores', ['HEAD', 'GET']],
    ] as const
  ).map(
    ([at, asks]): CachingRow => ({
      ...{ paragraph: '4.3.3', at, says: 'a new answer is given, and takes the place of what was stored' },
      origin: { head: aSecond },
      requests: [
        miss(),
        miss({
          afterS: 1,
          origin: { head: { ...maxAge, etag: '"2"' }, body: 'two' },
          gets: { body: 'two' },
          asks,
        }),
        hit({ gets: { body: 'two' } }),
      ],
    }),
  ),
  {
    ...{ paragraph: '4.3.3', at: 'all', says: 'a 503 is passed on where nothing stale is allowed' },
    origin: { head: aSecond },
    requests: [miss(), { afterS: 1, origin: { status: 503 }, gets: { status: 503 }, asks: 'any' }],
  },
  {
    ...{ paragraph: '4.3.3', at: 'all', says: 'a 503 lets what is stored be used where that is allowed' },
    policy: { staleIfErrorMs: 60_000 },
    origin: { head: aSecond },
    requests: [miss(), stale({ afterS: 1, origin: { status: 503 }, gets: { body: 'one' }, asks: 'any' })],
  },
  ...['"2"', 'W/"2"'].map(
    (etag): CachingRow => ({
      ...{ paragraph: '4.3.4', at: 'web origins', says: `a 304 with another tag updates nothing: ${etag}` },
      origin: { head: { ...aSecond, 'x-a': 'old' }, confirms: { ...maxAge, etag, 'x-a': 'new' } },
      requests: [
        miss(),
        miss({ afterS: 1, gets: { has: { 'x-a': 'old' } }, asks: ['conditional GET', 'GET'] }),
      ],
    }),
  ),
  {
    ...{ paragraph: '4.3.4', at: 'web origins', says: 'a 304 with another Last-Modified updates nothing' },
    origin: {
      head: { ...aSecond, ...modified, etag: undefined },
      confirms: { ...maxAge, etag: undefined, 'last-modified': { atS: -5 } },
    },
    requests: [miss(), miss({ afterS: 1, asks: ['conditional GET', 'GET'] })],
  },
  ...['"1"', 'W/"1"', undefined].map(
    (etag): CachingRow => ({
      ...{
        paragraph: '4.3.4',
        at: 'web origins',
        says: `a 304 with ${etag ?? 'no tag'} updates what is stored`,
      },
      origin: { head: { ...aSecond, etag: 'W/"1"' }, confirms: { ...maxAge, etag, 'x-a': 'new' } },
      requests: [miss(), confirmed({ afterS: 1 }), hit({ gets: { has: { 'x-a': 'new', etag: 'W/"1"' } } })],
    }),
  ),
  ...(
    [
      ['the same validators', { etag: '"1"' }, 'updates'],
      ['another tag', { etag: '"2"' }, 'ends'],
      ['another length', { etag: '"1"', 'content-length': '4' }, 'ends'],
      ['no validators (docs/caching.md)', { etag: undefined }, 'leaves'],
    ] as const
  ).map(
    ([what, head, effect]): CachingRow => ({
      ...{
        paragraph: '4.3.5',
        at: 'web origins',
        says: `HEAD with ${what} ${effect} the stored answer to GET`,
      },
      origin: { head: { 'cache-control': 'max-age=10' } },
      requests: [
        miss(),
        {
          origin: { head: { 'cache-control': 'max-age=20', ...head, 'x-a': 'new' } },
          ...{ afterS: 5, method: 'HEAD', sends: { 'cache-control': 'no-cache' }, gets: {}, asks: 'any' },
        },
        effect === 'updates'
          ? hit({ afterS: 19, gets: { body: 'one', has: { 'x-a': 'new' } } })
          : {
              afterS: effect === 'ends' ? 1 : 5,
              origin: { head: maxAge },
              gets: { body: 'one' },
              asks: ['confirmation'],
            },
      ],
    }),
  ),
  {
    ...{ paragraph: '4.3.5', at: 'stores', says: 'HEAD updates what GET has stored' },
    origin: { head: aSecond },
    requests: [
      miss(),
      confirmed({
        ...{ afterS: 1, method: 'HEAD' },
        origin: { head: { 'cache-control': 'max-age=20', 'x-amz-meta-a': 'new' } },
      }),
      hit({ afterS: 19, gets: { body: 'one', has: { 'x-amz-meta-a': 'new' } } }),
    ],
  },
];
