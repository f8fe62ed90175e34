import { expect, it } from 'vitest';
import { isGranted } from '../../../../src/embedded-store/access/grants.ts';

const wish = (key: string, action = 'GetObject', bucket = 'photos') => ({ action, bucket, key });

it.each([
  [['**'], 'a/b/c', true],
  [['*'], 'a', true],
  [['*'], 'a/b', false],
  [['a/*/c'], 'a/b/c', true],
  [['a.c'], 'abc', false],
  [['**', '!private/**'], 'private/x', false],
  [['**', '!private/**'], 'public/x', true],
  [['**', '!private/**', 'private/but/**'], 'private/but/x', true],
  [['!private/**'], 'public/x', false],
  [[], 'x', false],
])('the patterns %j and the key %s: %s', (keys, key, expected) => {
  expect(isGranted([{ actions: ['GetObject'], keys }], wish(key))).toBe(expected);
});

it('covers everything without a list, and nothing with an empty one', () => {
  expect(isGranted(undefined, wish('k'))).toBe(true);
  expect(isGranted([], wish('k'))).toBe(false);
});

it('covers the actions and buckets it names', () => {
  const grants = [
    { actions: ['ListBucket'], buckets: ['photos-*'] },
    { actions: ['*'], buckets: ['mine'] },
  ];
  expect(isGranted(grants, wish('', 'ListBucket', 'photos-1'))).toBe(true);
  expect(isGranted(grants, wish('', 'GetObject', 'photos-1'))).toBe(false);
  expect(isGranted(grants, wish('', 'PutObject', 'mine'))).toBe(true);
});
