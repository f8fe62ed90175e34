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

/** RFC 9111 §5.1, §5.3, §5.4, §5.5 and §7.3. */
export const fieldRows: readonly CachingRow[] = [
  row('5.1', 'all', 'what the origin has just said has no Age', control('max-age=9'), [
    miss({ gets: { lacks: ['age'] } }),
  ]),
  row('5.1', 'all', 'what comes from the cache has one', control('max-age=9'), [
    miss(),
    hit({ gets: { has: { age: '0' } } }),
  ]),
  row('5.1', 'all', 'of a list the first member counts', { ...control('max-age=60'), age: ['5', '50'] }, [
    miss(),
    hit({ gets: { has: { age: '5' } } }),
  ]),
  ...['abc', '-1', '1.5', ''].map(age =>
    row('5.1', 'all', `an Age that is no number is ignored: "${age}"`, { ...control('max-age=9'), age }, [
      miss(),
      hit({ gets: { has: { age: '0' } } }),
    ]),
  ),
  ...['0', 'never', '-1', 'Thu, 01 Jan 2026 00:00:99 GMT'].map(expires =>
    row('5.3', 'all', `what is no date has expired: ${expires}`, { expires }, neverFresh),
  ),
  row('5.3', 'all', 'a date that has passed has expired', { expires: { atS: -1 } }, neverFresh),
  row('5.3', 'all', 'it is ignored beside max-age', { ...control('max-age=9'), expires: '0' }, freshFor(9)),
  row('5.3', 'all', 'it is ignored beside s-maxage', { ...control('s-maxage=9'), expires: '0' }, freshFor(9)),
  row(
    '5.4',
    'all',
    'Pragma in an answer means nothing',
    { ...control('max-age=9'), pragma: 'no-cache' },
    freshFor(9),
  ),
  row('5.5', 'all', 'no Warning is made of what is confirmed', control('max-age=1'), [
    miss(),
    confirmed({ afterS: 1, gets: { lacks: ['warning'] } }),
  ]),
  row(
    '7.3',
    'web origins',
    'what sets a cookie is not stored (docs/caching.md)',
    { ...control('max-age=9'), 'set-cookie': 'a=b' },
    neverStored,
  ),
];
