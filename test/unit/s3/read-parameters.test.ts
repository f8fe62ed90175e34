import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../src/s3/error.ts';
import { parseQuery } from '../../../src/s3/query.ts';
import { type ReadParametersSource, readParameters } from '../../../src/s3/read-parameters.ts';

interface Sent extends Partial<Omit<ReadParametersSource, 'query' | 'storeFields'>> {
  readonly query?: string;
  readonly storeFields?: Readonly<Record<string, string>>;
}

function read({ query = '', storeFields, ...rest }: Sent) {
  return readParameters({
    range: undefined,
    isSigned: true,
    takesCustomerKeys: true,
    ...rest,
    query: parseQuery(query),
    storeFields: storeFields && new Map(Object.entries(storeFields)),
  });
}

function refusal(sent: Sent): S3Error {
  try {
    read(sent);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error('the request was taken');
}

const nothing = {
  versionId: undefined,
  partNumber: undefined,
  overrides: [],
  checksumMode: false,
  expectedBucketOwner: undefined,
  requestPayer: undefined,
  customerKey: undefined,
};

describe('the parameters of a read', () => {
  it('are empty when a request has none', () => {
    expect(read({ range: 'bytes=0-1' })).toEqual(nothing);
    expect(read({ query: 'x-id=GetObject&foo=bar', storeFields: { date: 'd' } })).toEqual(nothing);
  });

  it('are all read', () => {
    const key = Buffer.alloc(32, 1);
    const keyMd5 = createHash('md5').update(key).digest('base64');
    const parameters = read({
      query: 'versionId=v%2F1&partNumber=10000&response-expires=1',
      storeFields: {
        'checksum-mode': 'ENABLED',
        'expected-bucket-owner': '123456789012',
        'request-payer': 'requester',
        'server-side-encryption-customer-algorithm': 'AES256',
        'server-side-encryption-customer-key': key.toString('base64'),
        'server-side-encryption-customer-key-md5': keyMd5,
      },
    });
    expect(parameters).toEqual({
      versionId: 'v/1',
      partNumber: 10_000,
      overrides: [['expires', '1']],
      checksumMode: true,
      expectedBucketOwner: '123456789012',
      requestPayer: 'requester',
      customerKey: { key: key.toString('base64'), keyMd5 },
    });
  });

  it('may be presigned instead of sent as headers, under either prefix (row 127)', () => {
    const query = 'x-amz-checksum-mode=ENABLED&X-Store-Request-Payer=requester';
    expect(read({ query })).toEqual({ ...nothing, checksumMode: true, requestPayer: 'requester' });
    expect(read({ query: 'x-amz-expected-bucket-owner=210987654321' }).expectedBucketOwner).toBe(
      '210987654321',
    );
  });

  it('come from the header when header and query name one', () => {
    const sent = {
      query: 'x-amz-expected-bucket-owner=1',
      storeFields: { 'expected-bucket-owner': '123456789012' },
    };
    expect(read(sent).expectedBucketOwner).toBe('123456789012');
  });

  it('never take a customer-provided key out of the URL', () => {
    const query = 'x-amz-server-side-encryption-customer-algorithm=AES256';
    expect(read({ query, takesCustomerKeys: false })).toEqual(nothing);
  });

  it('keep the version called null', () => {
    expect(read({ query: 'versionId=null' }).versionId).toBe('null');
  });

  it.each(['enabled', 'Enabled', 'ENABLED'])('want checksums with checksum-mode %s (row 183)', mode => {
    expect(read({ storeFields: { 'checksum-mode': mode } }).checksumMode).toBe(true);
  });

  it('agree to no charge for anonymous callers (row 126)', () => {
    const storeFields = { 'request-payer': 'requester' };
    expect(read({ storeFields, isSigned: false }).requestPayer).toBeUndefined();
  });

  it.each(['bucket', 'Requester', ''])('agree to no charge with request-payer %j (row 128)', payer => {
    expect(read({ storeFields: { 'request-payer': payer } }).requestPayer).toBeUndefined();
  });
});

describe('a read is refused', () => {
  it.each([
    ['43', '0'],
    ['43', '-3'],
    ['43', '10001'],
    ['43', '99999999999999999999'],
    ['44', 'abc'],
    ['44', ''],
    ['44', '1.5'],
    ['44', '1e3'],
    ['44', ' 1'],
  ])('row %s: partNumber %j', (_row, text) => {
    const error = refusal({ query: `partNumber=${text}` });
    expect([error.code, error.status]).toEqual(['InvalidArgument', 400]);
    expect(error.message).toBe('Part number must be an integer between 1 and 10000, inclusive');
    expect(error.fields).toEqual([
      ['ArgumentName', 'partNumber'],
      ['ArgumentValue', text],
    ]);
  });

  it('row 45: partNumber and Range', () => {
    const error = refusal({ query: 'partNumber=1', range: 'bytes=0-1' });
    expect([error.code, error.status]).toEqual(['InvalidRequest', 400]);
    expect(error.message).toBe('Cannot specify both Range header and partNumber query parameter');
  });

  it('row 98: a versionId longer than any is', () => {
    expect(read({ query: `versionId=${'v'.repeat(1024)}` }).versionId).toHaveLength(1024);
    const error = refusal({ query: `versionId=${'v'.repeat(1025)}` });
    expect(error).toMatchObject({ code: 'InvalidArgument', message: 'Invalid version id specified' });
  });

  it('row 100: an empty versionId', () => {
    const error = refusal({ query: 'versionId' });
    expect([error.code, error.status]).toEqual(['InvalidArgument', 400]);
    expect(error.message).toBe('Version id cannot be the empty string');
    expect(error.fields).toEqual([
      ['ArgumentName', 'versionId'],
      ['ArgumentValue', ''],
    ]);
  });

  it.each(['abcd', '12345678901', '1234567890123', ''])('row 124: the bucket owner %j', owner => {
    const error = refusal({ storeFields: { 'expected-bucket-owner': owner } });
    expect([error.code, error.status]).toEqual(['InvalidBucketOwnerAWSAccountID', 400]);
    expect(error.message).toContain(`[${owner}]`);
  });

  it('row 135: an override of an anonymous caller', () => {
    expect(refusal({ query: 'response-expires=1', isSigned: false }).code).toBe('InvalidRequest');
  });

  it.each([
    'server-side-encryption',
    'server-side-encryption-aws-kms-key-id',
    'server-side-encryption-context',
    'server-side-encryption-bucket-key-enabled',
  ])('row 158: the header %s', name => {
    const error = refusal({ storeFields: { [name]: 'AES256' } });
    expect([error.code, error.status]).toEqual(['BadRequest', 400]);
  });

  it('row 184: another checksum-mode', () => {
    const error = refusal({ storeFields: { 'checksum-mode': 'foo' } });
    expect([error.code, error.status]).toEqual(['InvalidRequest', 400]);
    expect(error.message).toBe('Value for x-amz-checksum-mode header is invalid.');
  });
});
