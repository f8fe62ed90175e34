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

const refused = new RefusedByStoreError({ status: 503, fields: [], body: Buffer.alloc(0) });

it.each([
  { what: 'has changed', error: new ObjectChangedError('precondition failed'), isEnded: true },
  { what: 'is answered with something else', error: new InvalidReplyError('another range'), isEnded: true },
  { what: 'is answered with a failure', error: refused, isFailing: true },
  { what: 'finds no room', error: new OverloadedError(), isFailing: true },
  { what: 'does not come', error: new StoreError('BROKEN', 'cut off', undefined), isFailing: true },
  {
    what: 'is answered with what is no answer',
    error: new StoreError('INVALID', 'status 999', undefined),
    isFailing: true,
  },
  { what: 'can be had of nobody', error: new StoreError('INVALID', 'made here', undefined, NOBODY_ASKED) },
  { what: 'is at a worker that has ended', error: new OwnerLostError('has died') },
  { what: 'meets a fault', error: new TypeError('x is not a function') },
])(
  'where the rest of what is held $what, that is of no use any more, cannot be had for a while, or neither',
  ({ error, isEnded = false, isFailing = false }) => {
    expect({ isEnded: endsHeld(error), isFailing: restFails(error) }).toEqual({ isEnded, isFailing });
  },
);
