import { describe, expect, it } from 'vitest';
import { parseCacheControl } from '../../../src/http/cache-control.ts';
import { statedControl } from '../../../src/http/targeted-cache-control.ts';

type Fields = Readonly<Record<string, string>>;
const expires = 'Thu, 01 Jan 2026 00:00:00 GMT';
const stated = (fields: Fields) => statedControl(name => fields[name]);

describe('to this cache says', () => {
  it.each<[string, Fields, string]>([
    [
      'its own field',
      { 'tidegate-cache-control': 'max-age=5', 'cdn-cache-control': 'max-age=6' },
      'max-age=5',
    ],
    ['that for all of its kind', { 'cdn-cache-control': 'max-age=6' }, 'max-age=6'],
    [
      'the second, where the first is empty',
      { 'tidegate-cache-control': ' ', 'cdn-cache-control': 'no-store' },
      'no-store',
    ],
    [
      'the second, where the first is invalid',
      { 'tidegate-cache-control': 'A', 'cdn-cache-control': 'private' },
      'private',
    ],
    [
      'all that it names',
      { 'cdn-cache-control': 's-maxage=1, must-revalidate, stale-if-error=2;x=1' },
      's-maxage=1, must-revalidate, stale-if-error=2',
    ],
    [
      'which fields are not stored',
      { 'cdn-cache-control': 'private="a, B", no-cache' },
      'private="a, b", no-cache',
    ],
    ['nothing by what is false', { 'cdn-cache-control': 'no-store=?0, max-age=7' }, 'max-age=7'],
    ['nothing fresh by a negative number', { 'cdn-cache-control': 'max-age=-5' }, 'max-age=0'],
    ['nothing by what is not known', { 'cdn-cache-control': 'foo=bar' }, ''],
  ])('%s (RFC 9213 §2.2)', (_, fields, said) => {
    const all = { 'cache-control': 'max-age=1000, public', expires, ...fields };
    expect(stated(all)).toEqual({ control: parseCacheControl(said), expires: undefined });
  });

  it.each<[string, Fields]>([
    ['there is no other', {}],
    ['the others are empty', { 'cdn-cache-control': '', 'tidegate-cache-control': '' }],
    ['the others are no dictionaries', { 'cdn-cache-control': 'max-age=10000, &&&&&' }],
    ['a number of the others is a text', { 'cdn-cache-control': 'max-age="10000"' }],
    ['a number of the others has a fraction', { 'cdn-cache-control': 'max-age=1.5' }],
    ['a number of the others is missing', { 'tidegate-cache-control': 's-maxage' }],
    ['a number of the others is a list', { 'tidegate-cache-control': 'stale-if-error=(1)' }],
  ])('Cache-Control, and Expires, where %s', (_, fields) => {
    const all = { 'cache-control': 'no-store', expires, ...fields };
    expect(stated(all)).toEqual({ control: parseCacheControl('no-store'), expires });
  });
});
