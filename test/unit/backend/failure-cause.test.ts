import { errors } from 'undici';
import { expect, it } from 'vitest';
import { causeName, isCertificateFault, isConnectionFault } from '../../../src/backend/failure-cause.ts';
import { StoreError } from '../../../src/backend/store.ts';

const withCode = (code: unknown, cause?: unknown) => Object.assign(new Error('no', { cause }), { code });

it.each([
  [withCode('ECONNREFUSED'), 'ECONNREFUSED'],
  [withCode('UND_ERR_SOCKET', withCode('ECONNRESET')), 'ECONNRESET'],
  [new StoreError('BROKEN', 'broke', withCode('CERT_HAS_EXPIRED')), 'CERT_HAS_EXPIRED'],
  [new errors.ConnectTimeoutError(), 'CONNECT_TIMEOUT'],
  [new errors.HeadersTimeoutError(), 'FIRST_BYTE_TIMEOUT'],
  [new errors.BodyTimeoutError(), 'IDLE_TIMEOUT'],
  [new errors.SocketError('other side closed'), 'CONNECTION_CLOSED'],
  [withCode('name of a client'), undefined],
  [withCode('constructor'), undefined],
  [withCode('X'.repeat(1_000)), undefined],
  [withCode(7), undefined],
  [new Error('plain'), undefined],
  ['text', undefined],
])('names the first cause of %s: %s', (error, name) => {
  expect(causeName(error)).toBe(name);
});

it('ends with a chain that never does', () => {
  const error = withCode('EPIPE');
  error.cause = error;
  expect(causeName(error)).toBe('EPIPE');
});

it('knows a store that cannot be reached from a connection that broke', () => {
  for (const cause of [
    'ECONNREFUSED',
    'ENOTFOUND',
    'CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ])
    expect(isConnectionFault(cause), cause).toBe(true);
  for (const cause of ['ECONNRESET', 'EPIPE', 'CONNECTION_CLOSED', 'IDLE_TIMEOUT', undefined])
    expect(isConnectionFault(cause), cause).toBe(false);
  expect(isCertificateFault('ERR_TLS_CERT_ALTNAME_INVALID')).toBe(true);
  expect(isCertificateFault('ECONNREFUSED')).toBe(false);
});

it('a failed call has the name of its cause as reason, or else its code', () => {
  expect(new StoreError('UNREACHABLE', 'no', withCode('ENOTFOUND')).reason).toBe('ENOTFOUND');
  expect(new StoreError('INVALID', 'no', undefined).reason).toBe('INVALID');
});
