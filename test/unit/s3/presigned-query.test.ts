import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, it } from 'vitest';
import { fieldsOfQuery } from '../../../src/s3/presigned-query.ts';
import { parseQuery } from '../../../src/s3/query.ts';

const fieldsOf = (rawQuery: string) => fieldsOfQuery(parseQuery(rawQuery));
const signature =
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2Fb&X-Amz-Date=1&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Security-Token=t&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Signature=s';

describe('the query of a presigned URL', () => {
  it('has no fields but those of a store', () => {
    expect(fieldsOf(`versionId=a%2fb&${signature}&response-content-type=text/plain&foo=b&acl`)).toEqual([]);
    expect(fieldsOf('')).toEqual([]);
  });

  it('gives back as fields the headers that signers moved into it (row 127)', () => {
    expect(
      fieldsOf(
        `${signature}&x-amz-request-payer=requester&X-Store-Checksum-Mode=ENABLED&X%2DAmz-Expected-Bucket-Owner=1%32`,
      ),
    ).toEqual([
      { name: 'request-payer', value: 'requester', store: true },
      { name: 'checksum-mode', value: 'ENABLED', store: true },
      { name: 'expected-bucket-owner', value: '12', store: true },
    ]);
  });

  it('gives no customer-provided keys', () => {
    expect(fieldsOf('x-amz-server-side-encryption-customer-key=secret&a=1')).toEqual([]);
  });

  it('gives the bytes of a value as they would be in a header', () => {
    expect(fieldsOf('x-amz-meta-price=%E2%82%AC')).toEqual([
      { name: 'meta-price', value: '\u00e2\u0082\u00ac', store: true },
    ]);
  });

  it.each([
    'x-amz-meta-a=%0a',
    'x-amz-meta-a=a%0d%0ab:c',
    'x-amz-meta-a=%00',
    'x-amz-meta-a%20b=c',
    'x-amz-%c3%a9=1',
  ])('refuses %s, which no header can carry', query => {
    expect(() => fieldsOf(query)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
  });

  it('names what it refuses', () => {
    const fields = [
      ['ArgumentName', 'x-amz-meta-a'],
      ['ArgumentValue', '\n'],
    ];
    expect(() => fieldsOf('x-amz-meta-a=%0a')).toThrow(expect.objectContaining({ fields }));
  });

  it('gives what an SDK moved into it', async () => {
    const client = new S3Client({
      region: 'eu-west-1',
      endpoint: 'http://127.0.0.1:1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    });
    const command = new GetObjectCommand({ Bucket: 'b', Key: 'k', RequestPayer: 'requester' });
    const { search } = new URL(await getSignedUrl(client, command));
    expect(fieldsOf(search.slice(1))).toContainEqual({
      name: 'request-payer',
      value: 'requester',
      store: true,
    });
  });
});
