import { describe, expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '../../../../src/backend/store.ts';
import {
  InvalidReplyError,
  ObjectChangedError,
  OverloadedError,
  OwnerLostError,
  RefusedByStoreError,
} from '../../../../src/gateway/fill/fill-error.ts';
import { asS3Error, isFault } from '../../../../src/gateway/reply/error-reply.ts';
import { StalledClientError } from '../../../../src/gateway/reply/pending-sends.ts';
import { TooManyRequestsError } from '../../../../src/gateway/request/admission.ts';
import { s3Error } from '../../../../src/s3/error.ts';
import { InvalidListError } from '../../../../src/s3/listing/listing-xml.ts';

const storeError = (code: StoreErrorCode) => new StoreError(code, 'said the store', undefined);

describe('the error that a client is told for', () => {
  it.each<[string, Error, number, string]>([
    ['want of memory', new OverloadedError(), 503, 'SlowDown'],
    ['too many requests', new TooManyRequestsError('requests'), 503, 'SlowDown'],
    ['a client that takes nothing', new StalledClientError(), 503, 'SlowDown'],
    ['an object that changed', new ObjectChangedError('length'), 503, 'SlowDown'],
    ['a worker that was lost', new OwnerLostError('died'), 503, 'SlowDown'],
    ['a busy backend', storeError('BUSY'), 503, 'SlowDown'],
    [
      'a store that the gateway has no valid credentials for',
      storeError('UNSIGNED'),
      503,
      'ServiceUnavailable',
    ],
    ['a store that cannot be reached', storeError('UNREACHABLE'), 503, 'ServiceUnavailable'],
    ['a store that breaks off', storeError('BROKEN'), 503, 'ServiceUnavailable'],
    ['a store that is too slow', storeError('TIMEOUT'), 504, 'GatewayTimeout'],
    ['a store that answers no HTTP', storeError('INVALID'), 502, 'BadGateway'],
    ['an answer to another question', new InvalidReplyError('status 204'), 502, 'BadGateway'],
    ['a listing that is none', new InvalidListError('no list'), 502, 'BadGateway'],
  ])('%s', (_, error, status, code) => {
    const told = asS3Error(error);
    expect(told).toMatchObject({ status, code, cause: error });
    expect(told.headers.some(([name]) => name.toLowerCase() === 'retry-after')).toBe(status === 503);
    expect(isFault(error)).toBe(false);
  });

  it('an object that changed says so', () => {
    expect(asS3Error(new ObjectChangedError('length')).message).toContain('changed at the store');
  });

  it.each([new TypeError('planted'), storeError('FAULT'), 'a text', undefined])(
    'anything unexpected, like %s, is a fault of the gateway',
    error => {
      const told = asS3Error(error);
      expect([told.status, told.code, told.cause]).toEqual([500, 'InternalError', error]);
      expect(isFault(error)).toBe(true);
    },
  );

  it('what is an answer already is that', () => {
    for (const error of [s3Error('NoSuchKey'), s3Error('InternalError')]) {
      expect(asS3Error(error)).toBe(error);
      expect(isFault(error)).toBe(false);
    }
    const reply = { status: 500, fields: [], body: Buffer.alloc(0) };
    expect(isFault(new RefusedByStoreError(reply))).toBe(false);
  });
});
