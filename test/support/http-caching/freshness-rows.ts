import type { CachingRow } from './caching-row.ts';
import {
  confirmed,
  control,
  freshFor,
  hit,
  miss,
  neverFresh,
  statedRow as row,
  stale,
} from './caching-steps.ts';

const inTenS = (spelled: string): CachingRow =>
  row(
    '4.2',
    'all',
    `a date is read in any form, and in no time zone of here: ${spelled}`,
    { expires: spelled },
    freshFor(10),
  );

const twice = ['Thu, 01 Jan 2026 00:00:10 GMT', 'Thu, 01 Jan 2026 00:00:20 GMT'];

/** RFC 9111 §4.2 and §4.2.1. The clock of the rows begins with 2026. */
const lifetime: readonly CachingRow[] = [
  inTenS('Thu, 01 Jan 2026 00:00:10 GMT'),
  inTenS('Thursday, 01-Jan-26 00:00:10 GMT'),
  inTenS('Thu Jan  1 00:00:10 2026'),
  inTenS('thu, 01 jan 2026 00:00:10 gmt'),
  row(
    '4.2',
    'all',
    'a date of another time zone is none',
    { expires: 'Thu, 01 Jan 2026 00:00:10 EST' },
    neverFresh,
  ),
  row('4.2.1', 'all', 's-maxage comes before max-age', control('max-age=5, s-maxage=20'), freshFor(20)),
  row(
    '4.2.1',
    'all',
    's-maxage comes before max-age that is longer',
    control('s-maxage=5, max-age=20'),
    freshFor(5),
  ),
  row(
    '4.2.1',
    'all',
    'max-age comes before Expires',
    { ...control('max-age=20'), expires: { atS: 5 } },
    freshFor(20),
  ),
  row(
    '4.2.1',
    'all',
    'Expires is the lifetime where nothing else is',
    { expires: { atS: 20 } },
    freshFor(20),
  ),
  row(
    ...(['4.2.1', 'web origins', 'Expires counts from the Date that came with it'] as const),
    { expires: { atS: -80 }, date: { atS: -100 }, age: '0' },
    neverFresh,
  ),
  row(
    ...(['4.2.1', 'stores', 'Expires counts from the arrival, whatever the Date (docs/caching.md)'] as const),
    { expires: { atS: 20 }, date: { atS: -100 } },
    freshFor(20),
  ),
  row(
    '4.2.1',
    'all',
    'of a directive that comes twice the first counts',
    control(['max-age=10', 'max-age=20']),
    freshFor(10),
  ),
  row('4.2.1', 'web origins', 'what expires twice is stale', { expires: twice }, neverFresh),
  row('4.2.1', 'stores', 'where an object expires twice the first counts', { expires: twice }, freshFor(10)),
  row(
    '4.2.1',
    'all',
    'of directives that contradict each other the strictest counts',
    control('max-age=20, no-cache'),
    neverFresh,
  ),
  ...['max-age=abc', 'max-age=1.5', 'max-age=-1', 'max-age=', 'max-age', 's-maxage=x, max-age=20'].map(
    value => row('4.2.1', 'all', `a number that is invalid is stale: ${value}`, control(value), neverFresh),
  ),
  {
    ...row(
      '4.2.1',
      'all',
      'nothing is fresh for longer than maxTtl (docs/caching.md)',
      control('max-age=20'),
      freshFor(10),
    ),
    policy: { maxTtlMs: 10_000 },
  },
];

const guessing = { policy: { heuristicShare: 0.1 } };

/** RFC 9111 §4.2.2. */
const heuristics: readonly CachingRow[] = [
  {
    ...row(
      '4.2.2',
      'all',
      'a tenth of the time since Last-Modified may be assumed',
      { 'last-modified': { atS: -100 } },
      freshFor(10),
    ),
    ...guessing,
  },
  ...[control('max-age=5'), control('s-maxage=5'), { expires: { atS: 5 } }].map(
    (head): CachingRow => ({
      ...row(
        ...(['4.2.2', 'all', `nothing is assumed beside ${JSON.stringify(head)}`] as const),
        { 'last-modified': { atS: -100_000 }, ...head },
        freshFor(5),
      ),
      ...guessing,
    }),
  ),
  {
    ...row(
      '4.2.2',
      'all',
      'nothing is assumed where Expires is invalid',
      { 'last-modified': { atS: -100 }, expires: '0' },
      neverFresh,
    ),
    ...guessing,
  },
  row(
    '4.2.2',
    'web origins',
    'nothing is assumed of a Last-Modified in the future',
    { 'last-modified': { atS: 100 } },
    neverFresh,
  ),
  row(
    '4.2.2',
    'web origins',
    'nothing is assumed where there is none: ttl is 0 (docs/caching.md)',
    {},
    neverFresh,
  ),
  row('4.2.2', 'stores', 'what states nothing is fresh for ttl, 60 s (docs/caching.md)', {}, freshFor(60)),
];

/** RFC 9111 §4.2.3. */
const age: readonly CachingRow[] = [
  row('4.2.3', 'all', 'the Age that came is taken off', { ...control('max-age=10'), age: '4' }, [
    miss(),
    hit({ afterS: 5, gets: { has: { age: '9' } } }),
    confirmed({ afterS: 1 }),
  ]),
  row(
    '4.2.3',
    'web origins',
    'the time since its Date is taken off',
    { ...control('max-age=10'), date: { atS: -4 } },
    [miss(), hit({ afterS: 5, gets: { has: { age: '9', date: { atS: -4 } } } }), confirmed({ afterS: 1 })],
  ),
  row(
    '4.2.3',
    'stores',
    'the Date of a store does not matter (docs/caching.md)',
    { ...control('max-age=10'), date: { atS: -4 } },
    freshFor(10),
  ),
  row(
    ...(['4.2.3', 'web origins', 'the greater counts of what Age and Date tell'] as const),
    { ...control('max-age=10'), age: '3', date: { atS: -6 } },
    [miss(), hit({ afterS: 3, gets: { has: { age: '9' } } }), confirmed({ afterS: 1 })],
  ),
  row(
    '4.2.3',
    'all',
    'a Date in the future makes nothing younger',
    { ...control('max-age=10'), date: { atS: 100 } },
    freshFor(10),
  ),
  row(
    '4.2.3',
    'web origins',
    'what has no Date is as old as its arrival',
    { ...control('max-age=10'), date: undefined },
    freshFor(10),
  ),
  {
    ...row('4.2.3', 'all', 'the time that the answer took is taken off', control('max-age=10'), [
      miss(),
      hit({ afterS: 9, gets: { has: { age: '9' } } }),
      confirmed({ afterS: 0.5 }),
    ]),
    origin: { head: control('max-age=10'), takesS: 0.5 },
  },
  row('4.2.3', 'all', 'after a confirmation the age counts from that', control('max-age=10'), [
    miss(),
    confirmed({ afterS: 15 }),
    hit({ afterS: 9, gets: { has: { age: '9' } } }),
    confirmed({ afterS: 1 }),
  ]),
];

const hour = { staleIfErrorMs: 3_600_000 };
const down = { status: 503, head: control('no-store') };

/** RFC 9111 §4.2.4. */
const staleness: readonly CachingRow[] = [
  ...['must-revalidate', 'proxy-revalidate', 's-maxage=1', 'no-cache'].map(
    (directive): CachingRow => ({
      ...row(
        '4.2.4',
        'all',
        `what says ${directive} is not used stale where the origin fails`,
        control(`max-age=1, ${directive}`),
        [miss(), { afterS: 2, origin: down, gets: { status: 503 }, asks: 'any' }],
      ),
      policy: { ...hour, maxStaleMs: 3_600_000 },
    }),
  ),
  row('4.2.4', 'all', 'nothing is used stale where nothing allows it', control('max-age=1'), [
    miss(),
    { afterS: 2, origin: down, gets: { status: 503 }, asks: 'any' },
  ]),
  {
    ...row('4.2.4', 'all', 'what is configured allows it, where the origin fails', control('max-age=1'), [
      miss(),
      stale({ afterS: 10, origin: down, gets: { has: { age: '10' }, lacks: ['warning'] }, asks: 'any' }),
    ]),
    policy: hour,
  },
  {
    ...row(
      '4.2.4',
      'all',
      'stale-if-error allows it for as long as it says',
      control('max-age=1, stale-if-error=9'),
      [
        miss(),
        stale({ afterS: 9, origin: down, asks: 'any' }),
        { afterS: 2, gets: { status: 503 }, asks: 'any' },
      ],
    ),
    policy: { maxStaleMs: 3_600_000 },
  },
  {
    ...row('4.2.4', 'all', 'an origin that answers is no reason to use what is stale', control('max-age=1'), [
      miss(),
      { afterS: 2, origin: { status: 404 }, gets: { status: 404 }, asks: 'any' },
    ]),
    policy: hour,
  },
];

export const freshnessRows: readonly CachingRow[] = [...lifetime, ...heuristics, ...age, ...staleness];
