import { describe, expect, it } from 'vitest';
import {
  isCodeOfMissing,
  ownSignatureRefused,
  quoted,
  standardCode,
  tellsMissing,
  usualCode,
  withStandardBody,
} from '../../../src/s3/store-refusal.ts';

const bodyOf = (code: string) => Buffer.from(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
const nothing = Buffer.alloc(0);

describe('row 112: a refusal tells that a key is missing', () => {
  const marker = { name: 'delete-marker', value: 'true', store: true };

  it.each<[string, number, Buffer, object[], boolean]>([
    ['of a HEAD', 404, nothing, [], true],
    ['of a key', 404, bodyOf('NoSuchKey'), [], true],
    ['of a version', 404, bodyOf('NoSuchVersion'), [], true],
    ['of no protocol', 404, Buffer.from('<html>'), [], true],
    ['in words of its own', 404, bodyOf('NotFound'), [], true],
    ['of tags', 404, bodyOf('NoSuchTagSet'), [], false],
    ['of a bucket', 404, bodyOf('NoSuchBucket'), [], false],
    ['of a delete marker', 404, bodyOf('NoSuchKey'), [marker], false],
    ['of what is no delete marker', 404, bodyOf('NoSuchKey'), [{ ...marker, value: 'false' }], true],
    ['with a field that means nothing', 404, bodyOf('NoSuchKey'), [{ ...marker, store: false }], true],
    ['with another status', 403, bodyOf('NoSuchKey'), [], true],
    ['that was there', 410, nothing, [], true],
    ['by a code that nobody knows', 404, bodyOf('Vanished'), [], true],
    ['of a bucket, by another code of that', 404, bodyOf('NoSuchBucketPolicy'), [], false],
    ['of an upload', 404, bodyOf('NoSuchUpload'), [], false],
    ['of a lock', 404, bodyOf('NoSuchObjectLockConfiguration'), [], false],
    ['of a configuration', 404, bodyOf('ServerSideEncryptionConfigurationNotFoundError'), [], false],
    ['of controls', 404, bodyOf('OwnershipControlsNotFoundError'), [], false],
    ['of access that is denied', 403, bodyOf('AccessDenied'), [], false],
  ])('%s', (_, status, body, fields, expected) => {
    expect(tellsMissing({ status, body, fields: fields as (typeof marker)[] })).toBe(expected);
  });
});

it.each([
  ['NoSuchKey', true],
  ['NoSuchVersion', true],
  ['ObjectNotFound', true],
  ['NotFound', true],
  ['NoSuchObject', true],
  ['nosuchkey', true],
  ['NoSuchKeyException', true],
  ['NoSuchObjectVersion', true],
  ['VersionNotFound', true],
  ['ObjectDoesNotExist', true],
  ['BlobNotFound', true],
  ['KeyMissing', true],
  ['BucketNotFound', false],
  ['NoSuchVersioningConfiguration', false],
  ['MissingContentLength', false],
  ['ObjectLockConfigurationNotFoundError', false],
  ['ReplicationConfigurationNotFoundError', false],
  ['NoSuchBucket', false],
  ['InternalError', false],
  ['StorageIsFull', false],
])('%s within an answer of another status tells that a key is missing: %s', (code, expected) => {
  expect(isCodeOfMissing(code)).toBe(expected);
});

describe("law 7: a refusal of the gateway's own signature", () => {
  const refusal = (code: string, message = 'No.', value = 'x') =>
    ownSignatureRefused({ code, message, fields: [['Own', value]] });

  it.each([
    'AuthorizationHeaderMalformed',
    'ExpiredToken',
    'InvalidAccessKeyId',
    'InvalidSecurity',
    'InvalidToken',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
    'TokenRefreshRequired',
  ])('is a 502 that names %s and nothing else', code => {
    const told = refusal(code, 'secret', 'secret');
    expect(told).toMatchObject({ status: 502, code: 'BadGateway', fields: [] });
    expect(told?.message).toBe(`The store does not accept the gateway's own signature (${code}).`);
  });

  it('is not what refuses a read, nor what quotes the words of a client', () => {
    expect(refusal('AccessDenied')).toBeUndefined();
    expect(refusal('InvalidArgument', 'AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA256')).toBeUndefined();
  });
});

it.each([
  [429, 'SlowDown'],
  [500, 'InternalError'],
  [501, 'NotImplemented'],
  [502, 'BadGateway'],
  [503, 'ServiceUnavailable'],
  [504, 'GatewayTimeout'],
])('a failure of %d without a body has the words of %s', (status, code) => {
  expect(standardCode({ status, body: nothing })).toBe(code);
});

it.each([
  [400, 'BadRequest'],
  [401, 'AccessDenied'],
  [403, 'AccessDenied'],
  [404, 'NoSuchKey'],
  [405, 'MethodNotAllowed'],
  [409, 'BadRequest'],
  [412, 'PreconditionFailed'],
  [416, 'InvalidRange'],
  [507, 'BadGateway'],
])('a refusal of %d has no words without a body, and those of %s for a page', (status, code) => {
  expect(usualCode(status)).toBe(code);
  expect(standardCode({ status, body: Buffer.from('<html>') })).toBe(code);
  expect(standardCode({ status, body: nothing })).toBe(status >= 500 ? code : undefined);
});

it('of a page the beginning is quoted, without what may be a key or a signature', () => {
  const secret = 'c2VjcmV0LWtleS13aXRoLTI1Ni1iaXRz+/==';
  expect(quoted(Buffer.from(`<p>${secret}</p> ${'short '.repeat(3)}`))).toBe(
    '<p>[redacted]</p> short short short ',
  );
  expect(quoted(Buffer.from(`key=${'k'.repeat(21)}; ${'k'.repeat(22)}`))).toBe(
    `key=${'k'.repeat(21)}; [redacted]`,
  );
  expect(quoted(Buffer.from('ab '.repeat(2_000)))).toBe('ab '.repeat(400).slice(0, 1_024));
});

it('a standard body takes the place of another, with the fields that are not about that', () => {
  const fields = [
    { name: 'content-type', value: 'text/html', store: false },
    { name: 'content-length', value: '9', store: false },
    { name: 'retry-after', value: '1', store: false },
    { name: 'content-sha256', value: 'x', store: true },
  ];
  const { status, body, ...told } = withStandardBody({ status: 507, fields }, 'BadGateway');
  expect(status).toBe(507);
  expect(body.toString()).toContain('<Code>BadGateway</Code><Message>');
  expect(told.fields).toEqual([
    ...fields.slice(2),
    { name: 'content-type', value: 'application/xml', store: false },
  ]);
});
