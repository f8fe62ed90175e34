import type { At, CachingRow, Got } from './caching-row.ts';
import { control, hit, miss } from './caching-steps.ts';

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
