import { describe, expect, it } from 'vitest';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  authorization,
  presigned,
  published,
  publishedUrl,
  refusal,
  signedAtMs,
  verify,
  withAuthorization,
  withHeaders,
  withParameters,
} from '../../support/published-requests.ts';

describe('refusals', () => {
  it('a wrong region names the right one (docs/semantics.md 122)', () => {
    expect(refusal(published, { region: 'eu-west-1' }).fields).toEqual({ Region: 'eu-west-1' });
  });

  it('a presigned URL ends with the last of its seconds (docs/semantics.md 238)', () => {
    const clock = new ManualClock(signedAtMs + 86_400_000 - 1);
    expect(verify(presigned, { clock }).kind).toBe('signed');
    clock.advance(1);
    expect(refusal(presigned, { clock })).toEqual({
      status: 403,
      code: 'AccessDenied',
      message: 'Request has expired',
      fields: {
        'X-Amz-Expires': '86400',
        Expires: '2013-05-25T00:00:00Z',
        ServerTime: '2013-05-25T00:00:00Z',
      },
    });
  });

  it('a life of no seconds is over, also for a clock that is slow (docs/semantics.md 243)', () => {
    const clock = new ManualClock(signedAtMs - 1000);
    expect(refusal(withParameters({ 'X-Amz-Expires': '0' }), { clock }).message).toBe('Request has expired');
  });

  it('a week is accepted (docs/semantics.md 240)', () => {
    expect(refusal(withParameters({ 'X-Amz-Expires': '604800' })).code).toBe('SignatureDoesNotMatch');
  });

  it('a presigned URL of a quarter of an hour from now is not yet valid (docs/semantics.md 239)', () => {
    const clock = new ManualClock(signedAtMs - 900_000);
    expect(verify(presigned, { clock }).kind).toBe('signed');
    clock.stepWallClock(-1);
    expect(refusal(presigned, { clock })).toEqual({
      status: 403,
      code: 'AccessDenied',
      message: 'Request is not yet valid',
      fields: {
        'X-Amz-Date': '1369353600000',
        Expires: '2013-05-25T00:00:00Z',
        ServerTime: '2013-05-23T23:44:59Z',
      },
    });
  });

  it.each([-1, 1])(
    'a signature in headers may be a quarter of an hour off, no more (docs/semantics.md 210, 257)',
    direction => {
      const clock = new ManualClock(signedAtMs + direction * 900_000);
      expect(verify(published, { clock }).kind).toBe('signed');
      clock.stepWallClock(direction * 1000);
      expect(refusal(published, { clock })).toEqual({
        status: 403,
        code: 'RequestTimeTooSkewed',
        message: 'The difference between the request time and the current time is too large.',
        fields: {
          RequestTime: '20130524T000000Z',
          ServerTime: direction < 0 ? '2013-05-23T23:44:59Z' : '2013-05-24T00:15:01Z',
          MaxAllowedSkewMilliseconds: '900000',
        },
      });
    },
  );

  it('a header of the store that was not signed is named, whichever prefix it has (docs/semantics.md 250)', () => {
    const changes = { 'X-Amz-Server-Side-Encryption': 'AES256', 'x-store-meta-b': '1' };
    for (const request of [presigned, published]) {
      expect(refusal(withHeaders(changes, request))).toMatchObject({
        status: 403,
        code: 'AccessDenied',
        message: 'There were headers present in the request which were not signed',
        fields: { HeadersNotSigned: 'x-amz-server-side-encryption, x-store-meta-b' },
      });
    }
  });

  it('a header that repeats a parameter with another value was not signed either (docs/semantics.md 252)', () => {
    expect(refusal(withHeaders({ 'x-amz-expires': '9' }, presigned)).fields).toEqual({
      HeadersNotSigned: 'x-amz-expires',
    });
  });

  it("the payload hash and what is not the store's need no signing (docs/semantics.md 250, 251)", () => {
    const changes = {
      'x-amz-content-sha256': EMPTY_PAYLOAD_HASH,
      'Content-Type': 'a/b',
      'X-Custom': 'c',
      Range: 'bytes=0-1',
      'If-Match': '*',
    };
    expect(verify(withHeaders(changes, presigned)).kind).toBe('signed');
  });

  it('Host must be signed', () => {
    expect(refusal(authorization({ SignedHeaders: 'x-amz-date' })).fields).toEqual({
      HeadersNotSigned: 'host',
    });
  });

  it('one more parameter breaks the signature (docs/semantics.md 254)', () => {
    expect(refusal({ ...presigned, url: `${publishedUrl}&x-id=GetObject` }).code).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it('an access key that nobody has is named (docs/semantics.md 208, 256)', () => {
    expect(
      refusal(
        authorization({
          Credential: 'AKIDNOBODY/20130524/us-east-1/s3/aws4_request',
          SignedHeaders: 'host;x-amz-date',
        }),
      ),
    ).toEqual({
      status: 403,
      code: 'InvalidAccessKeyId',
      message: 'The AWS Access Key Id you provided does not exist in our records.',
      fields: { AWSAccessKeyId: 'AKIDNOBODY' },
    });
  });

  it.each([
    ['a header and a URL', { ...published, url: publishedUrl }],
    ['two headers', { ...published, rawHeaders: [...published.rawHeaders, 'authorization', 'Basic x'] }],
    ['two versions', { ...presigned, url: `${publishedUrl}&Signature=a` }],
    ['two prefixes', { ...presigned, url: `${publishedUrl}&X-Store-Signature=a` }],
  ])('%s are one mechanism too many (docs/semantics.md 266)', (_, request) => {
    expect(refusal(request)).toMatchObject({
      status: 400,
      code: 'InvalidArgument',
      message: expect.stringMatching(/^Only one auth mechanism allowed/),
    });
  });

  it('a refusal never quotes a password from the Authorization header', () => {
    expect(JSON.stringify(refusal(withAuthorization('Basic c2VjcmV0')))).not.toContain('c2VjcmV0');
  });
});
