import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import {
  InvalidReplyError,
  NotCachedError,
  ObjectChangedError,
  OverloadedError,
  OwnerLostError,
  RefusedByStoreError,
} from '../../../../src/gateway/fill/fill-error.ts';
import { decodeError, encodeError } from '../../../../src/gateway/workers/wire-error.ts';

/** `error` as it comes out of another thread. */
function onTheOtherSide(error: unknown): Error {
  return decodeError(structuredClone(encodeError(error)));
}

it.each<[string, Error]>([
  ['a changed object', new ObjectChangedError('new tag')],
  ['a wrong answer', new InvalidReplyError('no range')],
  ['too much at once', new OverloadedError()],
  ['nothing cached', new NotCachedError()],
  ['a store that is away', new StoreError('UNREACHABLE', 'away', new Error('cause'))],
  ['a slow store', new StoreError('TIMEOUT', 'slow', undefined)],
  ['an owner that knows no such bucket', new OwnerLostError('has no bucket b any more')],
  ['something else', new RangeError('odd')],
])('%s keeps kind and code', (_, error) => {
  const heard = onTheOtherSide(error);
  expect(heard.message).toBe(error.message);
  expect(heard.constructor).toBe(error instanceof RangeError ? Error : error.constructor);
  if ('code' in error) expect(heard).toMatchObject({ code: error.code });
});

it('a refusal keeps status, fields and words', () => {
  const fields = [{ name: 'delete-marker', value: 'true', store: true }];
  const heard = onTheOtherSide(new RefusedByStoreError({ status: 404, fields, body: Buffer.from('words') }));
  if (!(heard instanceof RefusedByStoreError)) throw new Error('not a refusal any more');
  expect(heard.reply.status).toBe(404);
  expect(heard.reply.fields).toEqual(fields);
  expect(Buffer.isBuffer(heard.reply.body)).toBe(true);
  expect(heard.reply.body.toString()).toBe('words');
});

it('what is thrown without being an error is told too', () => {
  expect(onTheOtherSide('words')).toMatchObject({ message: 'words' });
});
