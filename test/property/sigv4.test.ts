import fc from 'fast-check';
import { expect, it } from 'vitest';
import { S3Error } from '../../src/s3/error.ts';
import { encodeForQuery, UNSIGNED_PAYLOAD } from '../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../src/s3/sigv4-keys.ts';
import { presignUrl, type SigningContext, signRequest } from '../../src/s3/sigv4-sign.ts';
import { credentials, signedAtMs, verify } from '../support/published-requests.ts';

const path = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.constantFrom('.', '..', '', 'a%2Fb')))
  .map(parts => `/${parts.map(part => encodeURIComponent(part)).join('/')}`);

const query = fc
  .dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.string({ unit: 'grapheme', maxLength: 4 }), {
    maxKeys: 4,
  })
  .map(pairs =>
    Object.entries(pairs)
      .map(pair => pair.map(encodeForQuery).join('='))
      .join('&'),
  );

const headers = fc
  .dictionary(
    fc.stringMatching(/^[a-z]{1,4}$/),
    fc.string({ unit: fc.constantFrom('a', ' ', ',', 'é', ':') }),
    { maxKeys: 3 },
  )
  .map(pairs => Object.entries(pairs).map(([name, value]) => [`x-amz-meta-${name}`, value.trim()] as const));

const context = (headerPrefix: 'x-amz-' | 'x-store-', keys: SigningKeys): SigningContext => ({
  credentials,
  region: 'us-east-1',
  headerPrefix,
  nowMs: signedAtMs,
  keys,
});

const prefix = fc.constantFrom('x-amz-', 'x-store-');
const keys = new SigningKeys();

it('what is signed in headers is accepted, and nothing else under that signature', () => {
  fc.assert(
    fc.property(path, query, headers, prefix, (rawPath, rawQuery, sent, headerPrefix) => {
      const own = sent.map(([name, value]) => [name.replace('x-amz-', headerPrefix), value] as const);
      const request = {
        method: 'GET',
        host: 'h',
        rawPath,
        rawQuery,
        headers: own,
        payloadHash: UNSIGNED_PAYLOAD,
      };
      const added = signRequest(request, context(headerPrefix, keys));
      const rawHeaders = ['Host', 'h', ...own.flat(), ...added.flat()];
      const url = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`;
      expect(verify({ method: 'GET', url, rawHeaders }).kind).toBe('signed');
      for (const changed of [
        { method: 'HEAD', url, rawHeaders },
        { method: 'GET', url: url.replace('/', '/x'), rawHeaders },
        { method: 'GET', url: `${url}${rawQuery === '' ? '?' : '&'}x`, rawHeaders },
        { method: 'GET', url, rawHeaders: rawHeaders.with(1, 'i') },
        { method: 'GET', url, rawHeaders: [...rawHeaders, `${headerPrefix}meta-zzzzz`, ''] },
      ]) {
        expect(() => verify(changed)).toThrow(S3Error);
      }
    }),
  );
});

it('what is presigned is accepted, and nothing else under that signature', () => {
  fc.assert(
    fc.property(
      path,
      query,
      prefix,
      fc.integer({ min: 1, max: 604_800 }),
      (rawPath, rawQuery, headerPrefix, expiresS) => {
        const request = { method: 'GET', origin: 'http://h', rawPath, rawQuery, expiresS };
        const url = presignUrl(request, context(headerPrefix, keys)).slice('http://h'.length);
        const rawHeaders = ['Host', 'h'];
        expect(verify({ method: 'GET', url, rawHeaders })).toMatchObject({
          expiresAtMs: signedAtMs + expiresS * 1000,
        });
        expect(() => verify({ method: 'HEAD', url, rawHeaders })).toThrow(S3Error);
        expect(() => verify({ method: 'GET', url: `${url}&x`, rawHeaders })).toThrow(S3Error);
        expect(() => verify({ method: 'GET', url: url.replace('/', '/x'), rawHeaders })).toThrow(S3Error);
      },
    ),
  );
});
