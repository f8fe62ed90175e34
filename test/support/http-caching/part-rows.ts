import type { CachingRow } from './caching-row.ts';
import { control, hit, miss } from './caching-steps.ts';

const maxAge = control('max-age=60');
const digits = '0123456789';
const part = (first: number, last: number) => ({ range: `bytes=${first}-${last}` });

/** RFC 9111 §3.3 and §3.4. */
export const partRows: readonly CachingRow[] = [
  {
    ...{ paragraph: '3.3', at: 'web origins', says: 'a part answers what lies within it, and nothing more' },
    origin: { head: maxAge, body: digits, sendsParts: true },
    requests: [
      miss({ sends: part(2, 6), gets: { status: 206, body: '23456' } }),
      hit({
        sends: part(3, 5),
        gets: { status: 206, body: '345', has: { 'content-range': 'bytes 3-5/10' } },
      }),
      { gets: { body: digits }, asks: ['GET', 'GET'] },
    ],
  },
  {
    ...{ paragraph: '3.3', at: 'all', says: 'a part of what is stored is sent as 206' },
    origin: { head: maxAge, body: digits },
    requests: [
      miss(),
      hit({
        sends: part(3, 5),
        gets: { status: 206, body: '345', has: { 'content-range': 'bytes 3-5/10' } },
      }),
    ],
  },
  {
    ...{ paragraph: '3.3', at: 'web origins', says: 'a part in units that nobody knows is not stored' },
    origin: { status: 206, head: { ...maxAge, 'content-range': 'items 0-0/9' } },
    requests: [
      { sends: { range: 'items=0-0' }, gets: { status: 206 }, asks: ['GET'] },
      { sends: { range: 'items=0-0' }, gets: { status: 206 }, asks: ['GET'] },
    ],
  },
  {
    ...{
      paragraph: '3.3',
      at: 'web origins',
      says: 'a part without a strong validator answers the very same range, and no other (docs/caching.md)',
    },
    origin: { head: { ...maxAge, etag: 'W/"1"' }, body: digits, sendsParts: true },
    requests: [
      { sends: part(2, 6), gets: { status: 206, body: '23456' }, asks: ['GET'] },
      hit({ sends: part(2, 6), gets: { status: 206, body: '23456' } }),
      { sends: part(2, 5), gets: { status: 206, body: '2345' }, asks: ['GET'] },
      { gets: { body: digits }, asks: ['GET'] },
    ],
  },
  {
    ...{ paragraph: '3.3', at: 'web origins', says: 'a 200 of some bytes alone is not stored' },
    origin: { head: { ...maxAge, 'content-range': 'bytes 5-7/10' }, body: '567' },
    requests: [
      { sends: part(5, 7), gets: { body: '567' }, asks: ['GET'] },
      { gets: { body: '567' }, asks: ['GET'] },
      { sends: part(5, 7), gets: { body: '567' }, asks: ['GET'] },
    ],
  },
  {
    ...{ paragraph: '3.3', at: 'web origins', says: 'nor is one that answers POST for what is read next' },
    origin: {
      head: { ...maxAge, 'content-range': 'bytes 5-7/10', 'content-location': '/b/k' },
      body: '567',
    },
    requests: [
      { method: 'POST', gets: { body: '567' }, asks: ['POST'] },
      { gets: { body: '567' }, asks: ['GET'] },
    ],
  },
  {
    ...{ paragraph: '3.3', at: 'web origins', says: 'what was cut off is never given as the whole' },
    origin: { head: { ...maxAge, etag: undefined }, body: digits, cutAfterBytes: 4 },
    requests: [
      { gets: 'cut', asks: ['GET'] },
      miss({ origin: { head: { ...maxAge, etag: undefined }, body: digits }, gets: { body: digits } }),
    ],
  },
  {
    ...{ paragraph: '3.4', at: 'web origins', says: 'parts with one strong validator make one whole' },
    origin: { head: maxAge, body: digits, sendsParts: true },
    requests: [
      miss({ sends: part(0, 4), gets: { status: 206 } }),
      { sends: part(5, 9), gets: { status: 206, body: '56789' }, asks: ['GET'] },
      hit({ gets: { body: digits } }),
    ],
  },
  {
    ...{ paragraph: '3.4', at: 'web origins', says: 'parts with weak validators do not' },
    origin: { head: { ...maxAge, etag: 'W/"1"' }, body: digits, sendsParts: true },
    requests: [
      { sends: part(0, 4), gets: { status: 206 }, asks: ['GET'] },
      { sends: part(5, 9), gets: { status: 206 }, asks: ['GET'] },
      miss({ gets: { body: digits } }),
    ],
  },
  {
    ...{ paragraph: '3.4', at: 'web origins', says: 'parts with two strong validators do not' },
    origin: { head: maxAge, body: digits, sendsParts: true },
    requests: [
      miss({ sends: part(0, 4), gets: { status: 206, body: '01234' } }),
      {
        origin: { head: { ...maxAge, etag: '"2"' }, body: 'abcdefghij', sendsParts: true },
        ...{ sends: part(5, 9), gets: { status: 206, body: 'fghij' }, asks: ['GET', 'GET'] },
      },
      { gets: { body: 'abcdefghij' }, asks: ['GET'] },
    ],
  },
  {
    ...{
      paragraph: '3.4',
      at: 'web origins',
      says: 'what is missing is asked for under the strong validator of what is there',
    },
    origin: { head: maxAge, body: digits, sendsParts: true },
    requests: [
      miss({ sends: part(0, 4), gets: { status: 206 } }),
      { gets: { body: digits }, asks: ['GET'], carries: { 'if-match': '"1"', range: 'bytes=5-9' } },
    ],
  },
  {
    ...{
      paragraph: '3.4',
      at: 'stores',
      says: 'missing bytes are asked for under the entity tag of what is there',
    },
    origin: { head: maxAge, body: 'x'.repeat(2 ** 20 + 3), sendsParts: true },
    requests: [
      miss({ sends: part(0, 4), gets: { status: 206, body: 'xxxxx' } }),
      { gets: {}, asks: ['GET'], carries: { 'if-match': '"1"' } },
      hit(),
    ],
  },
];
