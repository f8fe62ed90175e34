import { describe, expect, it } from 'vitest';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { requireNoPayload } from '../../../src/s3/sigv4-payload.ts';
import { signRequest } from '../../../src/s3/sigv4-sign.ts';
import {
  credentials,
  host,
  refusal,
  signedAtMs,
  verify,
  withHeaders,
  withParameters,
} from '../../support/published-requests.ts';

describe('the payload', () => {
  const signed = (payloadHash: string, method = 'GET') => {
    const context = {
      credentials,
      region: 'us-east-1',
      headerPrefix: 'x-amz-',
      nowMs: signedAtMs,
      keys: new SigningKeys(),
    } as const;
    const request = { method, host, rawPath: '/k', rawQuery: '', headers: [], payloadHash };
    return { method, url: '/k', rawHeaders: ['Host', host, ...signRequest(request, context).flat()] };
  };
  const payloadOf = (hash: string) => {
    const caller = verify(signed(hash));
    if (caller.kind !== 'signed') throw new Error('not signed');
    return caller.payload;
  };

  it.each([`x${EMPTY_PAYLOAD_HASH}`, `${EMPTY_PAYLOAD_HASH}0`, EMPTY_PAYLOAD_HASH.toUpperCase()])(
    'is no hash with "%s"',
    hash => {
      expect(refusal(signed(hash))).toMatchObject({ code: 'InvalidArgument' });
    },
  );

  it('may be unsigned', () => {
    expect(payloadOf('UNSIGNED-PAYLOAD')).toEqual({ kind: 'unsigned' });
  });

  it('may come in signed chunks, for whoever decodes them', () => {
    const name = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    expect(payloadOf(name)).toMatchObject({
      kind: 'stream',
      name,
      signing: { timestamp: '20130524T000000Z', seedSignature: expect.stringMatching(/^[\da-f]{64}$/) },
    });
  });

  it('is refused when it is neither a hash nor a name', () => {
    const refused = { status: 400, code: 'InvalidArgument' };
    expect(refusal(signed('nonsense'))).toMatchObject(refused);
    // before the signature is looked at
    for (const request of [
      withHeaders({ 'x-amz-content-sha256': 'nonsense' }),
      withParameters({ 'X-Amz-Content-Sha256': 'nonsense' }),
    ])
      expect(refusal(request)).toMatchObject(refused);
  });

  it('of a read is none (docs/semantics.md 264)', () => {
    const ofSomething = 'a'.repeat(64);
    expect(() => requireNoPayload(payloadOf(EMPTY_PAYLOAD_HASH), 'x-amz-')).not.toThrow();
    expect(() => requireNoPayload(payloadOf('UNSIGNED-PAYLOAD'), 'x-amz-')).not.toThrow();
    expect(() => requireNoPayload(payloadOf(ofSomething), 'x-amz-')).toThrow(
      expect.objectContaining({
        code: 'XAmzContentSHA256Mismatch',
        status: 400,
        fields: [
          ['ClientComputedContentSHA256', ofSomething],
          ['S3ComputedContentSHA256', EMPTY_PAYLOAD_HASH],
        ],
      }),
    );
  });
});
