import type { CachingRow } from './caching-row.ts';
import {
  confirmed,
  control,
  freshFor,
  hit,
  miss,
  neverFresh,
  neverStored,
  statedRow as row,
} from './caching-steps.ts';

const named = { 'x-amz-meta-a': 'of one' };

/** RFC 9111 §5.2, §5.2.2 and §5.2.3. */
export const responseDirectiveRows: readonly CachingRow[] = [
  row('5.2', 'all', 'names of directives are read in any case', control('MAX-AGE=9'), freshFor(9)),
  row('5.2', 'all', 'values may be quoted', control('max-age="9"'), freshFor(9)),
  row('5.2', 'all', 'clients get the directives of the answer', control('max-age=9, x-b="c"'), [
    miss({ gets: { has: control('max-age=9, x-b="c"') } }),
    hit({ gets: { has: control('max-age=9, x-b="c"') } }),
  ]),
  row('5.2', 'web origins', 'the origin gets the directives of the request', control('max-age=9'), [
    miss({ sends: control('max-age=5, x-b="c"'), carries: control('max-age=5, x-b="c"') }),
  ]),
  row('5.2.2.1', 'all', 'max-age is fresh for that long', control('max-age=9'), freshFor(9)),
  row('5.2.2.1', 'all', 'max-age=0 is confirmed each time', control('max-age=0'), neverFresh),
  row(
    '5.2.2.2',
    'all',
    'must-revalidate is fresh as long as it says, and confirmed then',
    control('max-age=9, must-revalidate'),
    freshFor(9),
  ),
  {
    ...row(
      '5.2.2.2',
      'all',
      'must-revalidate is an error where the origin fails',
      control('max-age=9, must-revalidate'),
      [miss(), { afterS: 9, origin: { status: 503 }, gets: { status: 503 }, asks: 'any' }],
    ),
    policy: { staleIfErrorMs: 60_000, maxStaleMs: 60_000 },
  },
  row(
    '5.2.2.3',
    'all',
    'must-understand takes the place of no-store',
    control('max-age=9, no-store, must-understand'),
    freshFor(9),
  ),
  {
    ...row(
      '5.2.2.3',
      'web origins',
      'must-understand is not stored where the status is not understood',
      {},
      [299, 299].map(status => miss({ gets: { status } })),
    ),
    origin: { status: 299, head: control('max-age=9, must-understand') },
  },
  row('5.2.2.4', 'all', 'no-cache is confirmed each time', control('max-age=9, no-cache'), [
    ...neverFresh,
    confirmed(),
  ]),
  row(
    '5.2.2.4',
    'web origins',
    'fields that no-cache names are not sent again',
    { ...control('max-age=9, no-cache="x-amz-meta-a"'), ...named },
    [miss({ gets: { has: named } }), hit({ gets: { body: 'one', lacks: ['x-amz-meta-a'] } })],
  ),
  row(
    '5.2.2.4',
    'stores',
    'no-cache that names fields counts without them (docs/caching.md)',
    control('max-age=9, no-cache="x-amz-meta-a"'),
    neverFresh,
  ),
  row('5.2.2.5', 'all', 'no-store is not stored', control('max-age=9, no-store'), neverStored),
  row('5.2.2.6', 'all', 'no-transform is given as it is', control('max-age=9, no-transform'), [
    miss(),
    hit({ sends: { 'accept-encoding': 'gzip' }, gets: { body: 'one', lacks: ['content-encoding'] } }),
  ]),
  row('5.2.2.7', 'all', 'private is not stored', control('max-age=9, private'), neverStored),
  row(
    '5.2.2.7',
    'web origins',
    'fields that private names are not stored',
    { ...control('max-age=9, private="X-Amz-Meta-A"'), ...named },
    [miss({ gets: { has: named } }), hit({ gets: { body: 'one', lacks: ['x-amz-meta-a'] } })],
  ),
  row(
    '5.2.2.7',
    'stores',
    'private that names fields counts without them (docs/caching.md)',
    control('max-age=9, private="x-amz-meta-a"'),
    neverStored,
  ),
  row(
    '5.2.2.8',
    'all',
    'proxy-revalidate is confirmed once it is stale',
    control('max-age=9, proxy-revalidate'),
    freshFor(9),
  ),
  {
    ...row(
      '5.2.2.8',
      'all',
      'proxy-revalidate is an error where the origin fails',
      control('max-age=9, proxy-revalidate'),
      [miss(), { afterS: 9, origin: { status: 503 }, gets: { status: 503 }, asks: 'any' }],
    ),
    policy: { staleIfErrorMs: 60_000, maxStaleMs: 60_000 },
  },
  row('5.2.2.9', 'web origins', 'public is stored whoever asks', control('public, max-age=9'), [
    miss({ sends: { authorization: 'Basic a' } }),
    hit(),
  ]),
  row(
    '5.2.2.10',
    'all',
    's-maxage is fresh for that long, whatever max-age says',
    control('max-age=1, s-maxage=9'),
    freshFor(9),
  ),
  {
    ...row('5.2.2.10', 'all', 's-maxage is not used stale', control('s-maxage=9'), [
      miss(),
      { afterS: 9, origin: { status: 503 }, gets: { status: 503 }, asks: 'any' },
    ]),
    policy: { staleIfErrorMs: 60_000, maxStaleMs: 60_000 },
  },
  row(
    '5.2.3',
    'all',
    'directives that nobody knows are ignored',
    control('x-a, x-b=c, max-age=9'),
    freshFor(9),
  ),
  row(
    '5.2.3',
    'all',
    'what stands in quotes is no directive',
    control('x-b="no-store, private", max-age=9'),
    freshFor(9),
  ),
];
