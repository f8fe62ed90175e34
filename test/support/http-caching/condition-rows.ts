import type { At, CachingRow, Got } from './caching-row.ts';
import { control, hit, miss, stale } from './caching-steps.ts';

const maxAge = control('max-age=60');
const modified = { 'last-modified': { atS: -10_000 } };

const condition = (
  says: string,
  sends: Readonly<Record<string, string | At>>,
  gets: Got,
  head = {},
): CachingRow => ({
  ...{ paragraph: '4.3.2', at: 'all', says },
  origin: { head: { ...maxAge, ...modified, ...head } },
  requests: [miss(), hit({ sends, gets })],
});
const unchanged: Got = { status: 304, body: '', has: { etag: '"1"' } };
const whole: Got = { status: 200, body: 'one' };

/** What is for the origin to judge: answered from the cache where that is what the client demands, and asked as it came where not. */
const demand = (
  says: string,
  sends: Readonly<Record<string, string | At>>,
  then: 'is met' | 'is not met' | 'is not minded',
  gets: Got = whole,
): CachingRow => {
  const refuses = { status: 412, head: maxAge, body: 'of the origin' };
  const told =
    then === 'is not minded'
      ? { gets: whole }
      : { origin: refuses, gets: { status: 412, body: 'of the origin' } };
  const conditions = Object.fromEntries(Object.entries(sends).filter(([name]) => name.startsWith('if-')));
  return {
    ...{ paragraph: '4.3.2', at: 'web origins', says },
    origin: { head: { ...maxAge, ...modified } },
    requests: [
      miss(),
      then === 'is met' ? hit({ sends, gets }) : miss({ sends, ...told, carries: conditions }),
      // what came is for this client alone
      hit({ gets: whole }),
    ],
  };
};

/** RFC 9110 §13.2.1: conditions count for every 2xx, ranges for 200. */
const ofStatus = (status: number): readonly CachingRow[] => {
  const row = (says: string, requests: CachingRow['requests']): CachingRow => ({
    ...{ paragraph: '4.3.2', at: 'web origins', says: `${says} of a ${status}` },
    origin: { status, head: { ...maxAge, ...modified }, body: status === 204 ? '' : 'one' },
    requests: [miss({ gets: { status } }), ...requests],
  });
  const refused = { origin: { status: 412, head: maxAge }, gets: { status: 412 } };
  return [
    row('If-None-Match with the stored tag is 304', [
      hit({ sends: { 'if-none-match': '"1"' }, gets: unchanged }),
      hit({ sends: { 'if-none-match': '"x"' }, gets: { status } }),
    ]),
    row('If-Modified-Since the stored date is 304', [
      hit({ sends: { 'if-modified-since': { atS: -10_000 } }, gets: unchanged }),
      hit({ sends: { 'if-modified-since': { atS: -10_001 } }, gets: { status } }),
    ]),
    row('If-Match with another tag is for the origin, with the stored tag it gets all,', [
      hit({ sends: { 'if-match': '"1"', range: 'bytes=0-1' }, gets: { status } }),
      miss({ sends: { 'if-match': '"x"' }, ...refused }),
      hit({ gets: { status } }),
    ]),
    row('If-Unmodified-Since an earlier date is for the origin, the stored date gets all,', [
      hit({ sends: { 'if-unmodified-since': { atS: -10_000 } }, gets: { status } }),
      miss({ sends: { 'if-unmodified-since': { atS: -10_001 } }, ...refused }),
      hit({ gets: { status } }),
    ]),
  ];
};

/** RFC 9111 §4.3.2. */
export const conditionalRows: readonly CachingRow[] = [
  condition('If-None-Match with the stored tag is 304', { 'if-none-match': '"1"' }, unchanged),
  condition('If-None-Match compares weakly', { 'if-none-match': 'W/"1"' }, unchanged),
  condition('If-None-Match may be a list', { 'if-none-match': '"x", "1"' }, unchanged),
  condition('If-None-Match may be *', { 'if-none-match': '*' }, unchanged),
  condition('If-None-Match with another tag gets all of it', { 'if-none-match': '"x"' }, whole),
  condition('If-Modified-Since the stored date is 304', { 'if-modified-since': { atS: -10_000 } }, unchanged),
  condition('If-Modified-Since a later date is 304', { 'if-modified-since': { atS: -9_999 } }, unchanged),
  condition(
    'If-Modified-Since an earlier date gets all of it',
    { 'if-modified-since': { atS: -10_001 } },
    whole,
  ),
  condition(
    'If-None-Match counts before If-Modified-Since',
    { 'if-none-match': '"x"', 'if-modified-since': { atS: -10_000 } },
    whole,
  ),
  condition(
    'If-Range with the stored tag gets the part',
    { 'if-range': '"1"', range: 'bytes=0-1' },
    { status: 206, body: 'on' },
  ),
  condition('If-Range with another tag gets all of it', { 'if-range': '"x"', range: 'bytes=0-1' }, whole),
  condition(
    'If-Range with the stored date gets the part',
    { 'if-range': { atS: -10_000 }, range: 'bytes=0-1' },
    { status: 206, body: 'on' },
  ),
  condition(
    'If-Range with another date gets all of it',
    { 'if-range': { atS: -9_999 }, range: 'bytes=0-1' },
    whole,
  ),
  demand('If-Match with the stored tag is answered from it', { 'if-match': '"x", "1"' }, 'is met'),
  demand('If-Match may be *', { 'if-match': '*' }, 'is met'),
  demand('If-Match with the stored tag gets the part', { 'if-match': '"1"', range: 'bytes=0-1' }, 'is met', {
    status: 206,
    body: 'on',
  }),
  demand(
    'If-Match and If-None-Match with the stored tag are 304',
    { 'if-match': '"1"', 'if-none-match': '"1"' },
    'is met',
    unchanged,
  ),
  demand(
    'If-Match with another tag is for the origin, whose 412 is not kept',
    { 'if-match': '"x"' },
    'is not met',
  ),
  demand('If-Match compares strongly', { 'if-match': 'W/"1"' }, 'is not met'),
  demand(
    'If-Match with another tag gets what an origin sends that does not mind',
    { 'if-match': '"x"' },
    'is not minded',
  ),
  demand(
    'If-Unmodified-Since the stored date is answered from it',
    { 'if-unmodified-since': { atS: -10_000 } },
    'is met',
  ),
  demand(
    'If-Unmodified-Since an earlier date is for the origin, whose 412 is not kept',
    { 'if-unmodified-since': { atS: -10_001 } },
    'is not met',
  ),
  demand(
    'If-Unmodified-Since does not count beside If-Match',
    { 'if-match': '"1"', 'if-unmodified-since': { atS: -10_001 } },
    'is met',
  ),
  ...[203, 204].flatMap(ofStatus),
  {
    ...{ paragraph: '4.3.2', at: 'web origins', says: 'conditions do not count for what is no 2xx' },
    origin: { status: 404, head: { ...maxAge, ...modified } },
    requests: [
      miss({ gets: { status: 404 } }),
      hit({ sends: { 'if-none-match': '"1"' }, gets: { status: 404 } }),
      hit({ sends: { 'if-match': '"x"' }, gets: { status: 404 } }),
    ],
  },
  {
    ...{ paragraph: '4.3.2', at: 'web origins', says: 'If-Match by HEAD with another tag is for the origin' },
    origin: { head: { ...maxAge, ...modified } },
    requests: [
      miss(),
      miss({
        ...{ method: 'HEAD', sends: { 'if-match': '"x"' }, asks: ['HEAD'], carries: { 'if-match': '"x"' } },
        ...{ origin: { status: 412, head: maxAge }, gets: { status: 412 } },
      }),
      hit({ gets: whole }),
    ],
  },
  {
    ...{
      paragraph: '4.3.2',
      at: 'web origins',
      says: 'a demand that is not met is answered with nothing stale, whatever becomes of it',
    },
    policy: { staleIfErrorMs: 3_600_000, staleWhileRevalidateMs: 3_600_000 },
    origin: { head: { ...maxAge, ...modified } },
    requests: [
      miss(),
      miss({
        ...{ afterS: 100, sends: { 'if-match': '"x"' }, origin: { status: 503, body: 'down' }, asks: 'any' },
        gets: { status: 503, body: 'down' },
      }),
      stale({ gets: whole, asks: 'any' }),
    ],
  },
  {
    ...condition(
      'If-Modified-Since counts from the Date where there is no Last-Modified',
      { 'if-modified-since': { atS: 0 } },
      unchanged,
      { 'last-modified': undefined },
    ),
    at: 'web origins',
  },
  {
    ...{ paragraph: '4.3.2', at: 'web origins', says: 'conditions on what is not stored are for the origin' },
    origin: { head: maxAge },
    requests: [
      miss({
        sends: { 'if-none-match': '"x"' },
        gets: whole,
        asks: ['conditional GET'],
        carries: { 'if-none-match': '"x"' },
      }),
    ],
  },
  {
    ...{
      paragraph: '4.3.2',
      at: 'stores',
      says: 'conditions on what is not stored are decided here, and no fill has them',
    },
    origin: { head: maxAge },
    requests: [miss({ sends: { 'if-none-match': '"1"' }, gets: unchanged })],
  },
];
