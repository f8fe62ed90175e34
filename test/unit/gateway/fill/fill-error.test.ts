import { expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '../../../../src/backend/store.ts';
import {
  InvalidReplyError,
  isRefusal,
  isTransient,
  ObjectChangedError,
  OwnerLostError,
  RefusedByStoreError,
  refusedBy,
} from '../../../../src/gateway/fill/fill-error.ts';

const replyOf = (status: number) => ({ status, fields: [], body: Buffer.alloc(0) });

it.each<[StoreErrorCode, boolean]>([
  ['UNREACHABLE', true],
  ['TIMEOUT', true],
  ['BROKEN', true],
  ['INVALID', false],
  ['FAULT', false],
  ['BUSY', false],
  ['UNSIGNED', false],
])('a call that failed with %s may be repeated: %s', (code, mayRepeat) => {
  expect(isTransient(new StoreError(code, 'planted', undefined))).toBe(mayRepeat);
});

it.each([
  [429, true],
  [499, false],
  [500, true],
  [501, false],
  [502, true],
  [503, true],
  [504, true],
  [505, false],
  [404, false],
])('a request that was refused with %d may be repeated: %s', (status, mayRepeat) => {
  expect(isTransient(new RefusedByStoreError(replyOf(status)))).toBe(mayRepeat);
});

it('nothing else may be repeated', () => {
  for (const error of [
    new ObjectChangedError('x'),
    new InvalidReplyError('x'),
    new OwnerLostError('x'),
    new Error('x'),
  ])
    expect(isTransient(error)).toBe(false);
});

it.each([
  [204, false],
  [206, false],
  [300, true],
  [304, false],
  [305, true],
  [404, true],
])('%d refuses a read that has no conditions: %s', (status, refuses) => {
  expect(isRefusal(status)).toBe(refuses);
  const error = refusedBy(replyOf(status));
  expect(error).toBeInstanceOf(refuses ? RefusedByStoreError : InvalidReplyError);
  expect(error.message).toContain(String(status));
});
