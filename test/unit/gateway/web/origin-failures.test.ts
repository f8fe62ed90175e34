import { expect, it } from 'vitest';
import { NOBODY_ASKED, StoreError } from '../../../../src/backend/store.ts';
import {
  InvalidReplyError,
  ObjectChangedError,
  OverloadedError,
  OwnerLostError,
  RefusedByStoreError,
} from '../../../../src/gateway/fill/fill-error.ts';
import { endsHeld, restFails } from '../../../../src/gateway/web/origin-failures.ts';

it.each([
  ['has changed', new ObjectChangedError('precondition failed'), true],
  ['is answered with something else', new InvalidReplyError('another range'), true],
  [
    'is not given for now',
    new RefusedByStoreError({ status: 503, fields: [], body: Buffer.alloc(0) }),
    false,
  ],
  ['finds no room', new OverloadedError(), false],
  ['does not come', new StoreError('BROKEN', 'cut off', undefined), false],
  ['is at a worker that has ended', new OwnerLostError('has died'), false],
  ['meets a fault', new TypeError('x is not a function'), false],
])('where the rest of what is held %s, that is of no use any more: %#', (_what, error, isEnded) => {
  expect(endsHeld(error)).toBe(isEnded);
});

it.each([
  [
    'is answered with a failure',
    new RefusedByStoreError({ status: 503, fields: [], body: Buffer.alloc(0) }),
    true,
  ],
  ['finds no room', new OverloadedError(), true],
  ['does not come', new StoreError('BROKEN', 'cut off', undefined), true],
  ['has changed', new ObjectChangedError('precondition failed'), false],
  ['is answered with what is no answer', new StoreError('INVALID', 'status 999', undefined), true],
  ['can be had of nobody', new StoreError('INVALID', 'made here', undefined, NOBODY_ASKED), false],
  ['is at a worker that has ended', new OwnerLostError('has died'), false],
  ['meets a fault', new TypeError('x is not a function'), false],
])('where the rest of what is held %s, it cannot be had for a while: %#', (_what, error, isFailing) => {
  expect(restFails(error)).toBe(isFailing);
});
