import { expect, it } from 'vitest';
import { nearBytesOf, nearBytesOfOne } from '../../../../src/gateway/workers/near-shares.ts';

const mebibyte = 1024 * 1024;

it.each([
  ['a small cache: a sixteenth in all, a quarter of that for web origins', 512, 2, 4, 12],
  ['the same for four workers', 512, 4, 2, 6],
  ['a larger one: 16 MiB for objects', 4096, 2, 32, 16],
  ['one so large that 16 MiB are less than the share', 65_536, 2, 512, 64],
  ['a size that cannot be divided', 16.0000001, 3, 16 / 64 / 3, 16 / 3 / 16 - 16 / 64 / 3],
])('near records of each worker may take of %s', (_what, cacheMebibytes, workers, web, objects) => {
  expect(nearBytesOf(Math.floor(cacheMebibytes * mebibyte), workers)).toEqual({
    webBytes: Math.floor(web * mebibyte),
    objectBytes: Math.floor(objects * mebibyte),
  });
});

it('one worker alone has no others', () => {
  expect(nearBytesOf(512 * mebibyte, 1)).toEqual({ webBytes: 0, objectBytes: 0 });
});

it('is the same for each of the others, in whole bytes', () => {
  expect(nearBytesOfOne({ webBytes: 100, objectBytes: 201 }, 2)).toEqual({ webBytes: 50, objectBytes: 100 });
});
