import { describe, expect, it } from 'vitest';
import {
  accessKeyId,
  authorization,
  credential,
  host,
  presigned,
  publishedUrl,
  refusal,
  withHeaders,
} from '../../support/published-requests.ts';

describe('SignatureDoesNotMatch (docs/semantics.md 209)', () => {
  const signature = '0'.repeat(64);
  const url = publishedUrl.replace(/Signature=.*/, `Signature=${signature}`);

  it('shows what should have been signed, as text and as bytes', () => {
    const { status, message, fields } = refusal({ ...presigned, url });
    expect({ status, message }).toEqual({
      status: 403,
      message:
        'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    });
    expect(Object.keys(fields)).toEqual([
      'AWSAccessKeyId',
      'StringToSign',
      'SignatureProvided',
      'StringToSignBytes',
      'CanonicalRequest',
      'CanonicalRequestBytes',
    ]);
    expect(fields).toMatchObject({ AWSAccessKeyId: accessKeyId, SignatureProvided: signature });
    expect(fields.StringToSign).toBe(
      'AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n3bfa292879f6447bbcda7001decf97f4a54dc650c8942174ae0a9121cf58ad04',
    );
    expect(fields.CanonicalRequest).toBe(
      `GET\n/test.txt\n${publishedUrl.split('?')[1]?.replace(/&X-Amz-Signature.*/, '')}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`,
    );
    expect(fields.StringToSignBytes).toMatch(/^41 57 53 34 2d/);
    expect(fields.CanonicalRequestBytes).toMatch(/^47 45 54 0a 2f/);
  });

  it('shows no token, no cookie and no customer key', () => {
    const temporary = { sessionToken: 'a token' };
    const names = [
      'x-amz-security-token',
      'cookie',
      'x-amz-server-side-encryption-customer-key',
      'x-amz-server-side-encryption-customer-key-md5',
    ];
    const request = withHeaders({
      ...Object.fromEntries(names.map(name => [name, `hidden-${name}`])),
      Authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${['host', ...names, 'x-amz-date'].join(';')}, Signature=${signature}`,
    });
    for (const refusedRequest of [
      request,
      { ...presigned, url: `${url}&X-Amz-Security-Token=hidden-token` },
    ]) {
      const { fields } = refusal(refusedRequest, temporary);
      const bytes = Buffer.from(fields.CanonicalRequestBytes?.replaceAll(' ', '') ?? '', 'hex').toString(
        'latin1',
      );
      expect(bytes).toBe(fields.CanonicalRequest);
      expect(JSON.stringify(fields)).not.toMatch(/hidden|idden/);
    }
    const shown = (asked: typeof request) => refusal(asked, temporary).fields.CanonicalRequest;
    for (const name of names) expect(shown(request)).toContain(`\n${name}:redacted\n`);
    const inQuery = shown({ ...presigned, url: `${url}&X-Amz-Security-Token=hidden-token` });
    expect(inQuery).toMatch(/&X-Amz-Security-Token=redacted[&\n]/);
  });

  it.each(['ab', 'F'.repeat(64), 'ü'.repeat(64), '0'.repeat(65)])(
    'is the answer to the signature %s',
    provided => {
      expect(refusal(authorization({ Signature: provided, SignedHeaders: 'host;x-amz-date' })).code).toBe(
        'SignatureDoesNotMatch',
      );
    },
  );
});
