import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCustomerKey } from '../../../src/s3/customer-key.ts';
import { S3Error } from '../../../src/s3/error.ts';

const key = Buffer.alloc(32, 7);
const keyText = key.toString('base64');
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64');

/** Store fields of the three headers; null leaves one out. */
function fields(algorithm: string | null, sentKey: string | null, digest: string | null) {
  const all: [string, string | null][] = [
    ['algorithm', algorithm],
    ['key', sentKey],
    ['key-md5', digest],
  ];
  const sent = all.flatMap(([name, value]) =>
    value === null ? [] : [[`server-side-encryption-customer-${name}`, value] as const],
  );
  return new Map(sent);
}

function refusal(sent: ReadonlyMap<string, string>, isTaken = true, use: 'read' | 'write' = 'read'): S3Error {
  try {
    readCustomerKey(sent, isTaken, use);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error('the key was taken');
}

it('A customer-provided key is read when its three headers agree', () => {
  expect(readCustomerKey(fields('AES256', keyText, md5(key)), true, 'read')).toEqual({
    key: keyText,
    keyMd5: md5(key),
  });
});

it('There is none when no header says so', () => {
  expect(readCustomerKey(new Map([['meta-a', '1']]), false, 'read')).toBeUndefined();
});

describe('A customer-provided key is refused', () => {
  const argument = ['ArgumentName', 'x-amz-server-side-encryption'];
  const short = Buffer.alloc(16, 1);
  const providing = 'Requests specifying Server Side Encryption with Customer provided keys must provide';

  it.each([
    ['148', fields('AES256', null, null), `${providing} an appropriate secret key.`],
    ['148', fields('AES256', null, md5(key)), `${providing} an appropriate secret key.`],
    ['149', fields('AES256', keyText, null), `${providing} the client calculated MD5 of the secret key.`],
    ['150', fields(null, keyText, md5(key)), `${providing} a valid encryption algorithm.`],
    ['150', fields(null, null, md5(key)), `${providing} a valid encryption algorithm.`],
    [
      '151',
      fields('AES256', keyText, md5(short)),
      'The calculated MD5 hash of the key did not match the hash that was provided.',
    ],
    [
      '153',
      fields('AES256', 'no base64!', md5(key)),
      'The secret key was invalid for the specified algorithm.',
    ],
    [
      '153',
      fields('AES256', keyText.slice(0, -1), md5(key)),
      'The secret key was invalid for the specified algorithm.',
    ],
  ])('with InvalidArgument (row %s)', (_row, sent, message) => {
    const error = refusal(sent);
    expect([error.code, error.status, error.message]).toEqual(['InvalidArgument', 400, message]);
    expect(error.fields).toEqual([argument]);
  });

  it('with another algorithm (row 147)', () => {
    const error = refusal(fields('KMS', keyText, md5(key)));
    expect([error.code, error.status]).toEqual(['InvalidEncryptionAlgorithmError', 400]);
    expect(error.message).toBe('The Encryption request you specified is not valid. Supported value: AES256.');
    expect(error.fields).toEqual([argument, ['ArgumentValue', 'KMS']]);
  });

  it('without quoting a key in the place of the algorithm (law 7)', () => {
    expect(refusal(fields(keyText, keyText, md5(key))).fields).toEqual([
      argument,
      ['ArgumentValue', '[redacted]'],
    ]);
  });

  it.each([16, 33, 44])('as the wrong one when it has %i bytes (row 152)', lengthBytes => {
    const other = Buffer.alloc(lengthBytes, 1);
    const error = refusal(fields('AES256', other.toString('base64'), md5(other)));
    expect([error.code, error.status]).toEqual(['AccessDenied', 403]);
    expect(error.message).toBe(`${providing} the correct secret key.`);
  });

  it('over plain HTTP before anything else is looked at (row 155)', () => {
    for (const sent of [fields('AES256', keyText, md5(key)), fields('KMS', null, null)]) {
      const error = refusal(sent, false);
      expect([error.code, error.status]).toEqual(['InvalidRequest', 400]);
      expect(error.message).toMatch(/must be made over a secure connection\.$/);
    }
  });

  it('without the key in the error', () => {
    for (const sent of [fields('AES256', keyText, 'x'), fields('AES256', `${keyText}!`, md5(key))]) {
      const { message, fields: said } = refusal(sent);
      expect(JSON.stringify([message, said])).not.toContain(keyText);
    }
  });
});

it('docs/semantics.md 152: a write with a key of another length is refused as malformed', () => {
  const short = Buffer.alloc(16, 1);
  const refused = refusal(fields('AES256', short.toString('base64'), md5(short)), true, 'write');
  expect([refused.status, refused.code, refused.message]).toEqual([
    ...[400, 'InvalidArgument', 'The secret key was invalid for the specified algorithm.'],
  ]);
});
