import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, it } from 'vitest';
import { bareQuery } from '../../../src/s3/presigned-query.ts';

const signature =
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2Fb&X-Amz-Date=1&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Security-Token=t&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Signature=s';

describe('the query of a presigned URL', () => {
  it('keeps what is no part of the signature, byte for byte', () => {
    const own = 'versionId=a%2fb&response-content-type=text/plain&foo=b%20a+r&acl';
    expect(
      bareQuery(`versionId=a%2fb&${signature}&response-content-type=text/plain&foo=b%20a+r&acl`),
    ).toEqual({
      query: own,
      fields: [],
    });
    expect(bareQuery(own).query).toBe(own);
    expect(bareQuery('')).toEqual({ query: '', fields: [] });
  });

  it('gives back as fields the headers that signers moved into it (row 127)', () => {
    const { query, fields } = bareQuery(
      `${signature}&x-amz-request-payer=requester&X-Store-Checksum-Mode=ENABLED&X%2DAmz-Expected-Bucket-Owner=1%32`,
    );
    expect(query).toBe('');
    expect(fields).toEqual([
      { name: 'request-payer', value: 'requester', store: true },
      { name: 'checksum-mode', value: 'ENABLED', store: true },
      { name: 'expected-bucket-owner', value: '12', store: true },
    ]);
  });

  it('gives no customer-provided keys', () => {
    const { query, fields } = bareQuery('x-amz-server-side-encryption-customer-key=secret&a=1');
    expect({ query, fields }).toEqual({ query: 'a=1', fields: [] });
  });

  it('leaves nothing of its dialect when an SDK made it', async () => {
    const client = new S3Client({
      region: 'eu-west-1',
      endpoint: 'http://127.0.0.1:1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    });
    const command = new GetObjectCommand({
      Bucket: 'b',
      Key: 'k',
      VersionId: 'v',
      RequestPayer: 'requester',
    });
    const { search } = new URL(await getSignedUrl(client, command));
    const { query, fields } = bareQuery(search.slice(1));
    expect(query.split('&').sort()).toEqual(['versionId=v', 'x-id=GetObject']);
    expect(fields).toContainEqual({ name: 'request-payer', value: 'requester', store: true });
  });
});
