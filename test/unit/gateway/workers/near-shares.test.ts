import { expect, it } from 'vitest';
import { nearShares } from '../../../../src/gateway/workers/near-shares.ts';

const mebibyte = 1024 * 1024;

it.each([
  ['a little: a quarter is for web origins, and the rest for objects', 8, 1, 2, 6],
  ['more: 16 MiB for objects', 128, 1, 32, 16],
  ['so much that 16 MiB are less than a thirty-second', 1024, 1, 256, 32],
  ['the same for three workers: a third each', 24, 3, 2, 16 / 3],
  ['a little for three workers', 12, 3, 1, 3],
  ['so much for three workers', 3072, 3, 256, 32],
])('near records may take of %s', (_what, inAll, others, web, objects) => {
  expect(nearShares(inAll * mebibyte, others)).toEqual({
    webBytes: web * mebibyte,
    objectBytes: Math.floor(objects * mebibyte),
  });
});

it('one worker alone has no others', () => {
  expect(nearShares(0, 0)).toEqual({ webBytes: 0, objectBytes: 0 });
});
