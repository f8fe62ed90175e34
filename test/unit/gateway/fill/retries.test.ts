import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import { RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import { Retries } from '../../../../src/gateway/fill/retries.ts';

const limits = { retries: 5, timeouts: 3, atOnce: 1, firstDelayMs: 50 };
const failed = (code: 'BROKEN' | 'TIMEOUT' | 'BUSY') => new StoreError(code, code, undefined);
const refused = (status: number) => new RefusedByStoreError({ status, fields: [], body: Buffer.alloc(0) });

it.each([
  [0, [0, 25, 50, 100, 200, 400, 500, 500]],
  [1, [0, 50, 100, 200, 400, 800, 1000, 1000]],
])('delays double up to a second, and are spread over their upper half: %s', (random, delays) => {
  const retries = new Retries(limits);
  expect(delays.map(() => retries.nextDelayMs(random))).toEqual(delays);
});

it('retries that do not come at once wait from the first on', () => {
  const retries = new Retries({ ...limits, atOnce: 0, firstDelayMs: 100 });
  expect([retries.nextDelayMs(1), retries.nextDelayMs(1)]).toEqual([100, 200]);
});

it('begins anew with progress', () => {
  const retries = new Retries({ ...limits, retries: 1 });
  retries.nextDelayMs(1);
  expect(retries.mayFollow(failed('BROKEN'))).toBe(false);
  retries.progressed(64 * 1024 - 1);
  expect(retries.mayFollow(failed('BROKEN')), 'some bytes').toBe(false);
  retries.progressed(1);
  expect(retries.mayFollow(failed('BROKEN')), '64 KiB').toBe(true);
  expect(retries.nextDelayMs(1)).toBe(0);
  retries.progressed(64 * 1024 - 1);
  expect(retries.mayFollow(failed('BROKEN')), 'some bytes after a retry').toBe(false);
});

it('counts timeouts, whatever has come between them', () => {
  const retries = new Retries({ ...limits, timeouts: 2 });
  expect(retries.mayFollow(failed('TIMEOUT'))).toBe(true);
  retries.progressed(1024 * 1024);
  expect(retries.mayFollow(failed('TIMEOUT'))).toBe(false);
});

it.each([
  [failed('BUSY'), false],
  [refused(503), true],
  [refused(429), true],
  [refused(404), false],
])('%s may be followed by a retry: %s', (error, isFollowed) => {
  expect(new Retries(limits).mayFollow(error)).toBe(isFollowed);
});
