import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import {
  accessKeyUnknown,
  type BadCredentials,
  headersNotSigned,
  mechanismUnsupported,
  signatureMismatch,
} from '../../support/conformance/bad-credentials.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Door, STRANGER, withHeader } from '../../support/conformance/door.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import type { RawRequest } from '../../support/raw-request.ts';

const authorization = (change: (value: string) => string) => withHeader('authorization', change);
const malformed = (detail: string, fields = {}) => ({
  status: 400,
  code: 'AuthorizationHeaderMalformed',
  message: `The authorization header is malformed; ${detail}`,
  fields,
});
const invalid = (message: string) => ({
  status: 400,
  code: 'InvalidArgument',
  message,
  fields: { ArgumentName: 'Authorization' },
});
const signatureOf = ({ headers = {} }: RawRequest) =>
  /Signature=([\da-f]{64})/.exec(String(headers.authorization))?.[1] ?? expect.unreachable('no signature');

describe.each(crossedDialects)(
  'docs/semantics.md, sections 10 and 12, headers: $client before $store, $over',
  dialects => {
    const prefix = dialects.client;
    const parameter = prefix === 'x-amz-' ? 'X-Amz-' : 'X-Store-';
    let door: Door;

    beforeAll(async () => {
      door = await Door.start(dialects);
    });
    afterAll(() => door.stop());

    const nowMs = () => door.lab.store.clock.nowMs();
    const day = () => new Date(nowMs()).toISOString().slice(0, 10).replaceAll('-', '');

    const cases: readonly BadCredentials[] = [
      {
        row: '122: a signature for another region',
        delivery: { region: 'mars-1' },
        ...malformed("the region 'mars-1' is wrong; expecting 'us-east-1'", { Region: 'us-east-1' }),
      },
      {
        row: '246: a credential with a part missing',
        spoil: authorization(value => value.replace('owner/', '')),
        ...malformed(
          'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
        ),
      },
      {
        row: '246: a scope of another service',
        spoil: authorization(value => value.replace('/s3/', '/sqs/')),
        ...malformed('incorrect service "sqs". This endpoint belongs to "s3".'),
      },
      {
        row: '246: a scope with another end',
        spoil: authorization(value => value.replace('aws4_request', 'aws5_request')),
        ...malformed('incorrect terminal "aws5_request". This endpoint uses "aws4_request".'),
      },
      {
        row: '246: a scope whose date is none',
        spoil: authorization(value => value.replace(/\/\d{8}\//, '/today/')),
        ...malformed(
          'incorrect date format "today". This date in the credential must be in the format "yyyyMMdd".',
        ),
      },
      {
        row: '208 and 256: an unknown access key',
        question: { as: STRANGER },
        ...accessKeyUnknown,
      },
      {
        row: '209: a signature with another secret',
        question: { as: { ...OWNER, secretAccessKey: 'another-secret' } },
        ...signatureMismatch,
      },
      {
        row: '209: a signature of another path',
        question: { path: '/box/other' },
        spoil: request => ({ ...request, path: '/box/k' }),
        ...signatureMismatch,
      },
      {
        row: '209 and 254: a parameter added after signing',
        spoil: request => ({ ...request, path: '/box/k?response-expires=1' }),
        ...signatureMismatch,
      },
      {
        row: '209: a signed header that was changed',
        question: { fields: { 'checksum-mode': 'ENABLED' } },
        spoil: withHeader(`${prefix}checksum-mode`, 'DISABLED'),
        ...signatureMismatch,
      },
      {
        row: '209: a signature that is none',
        spoil: authorization(value => value.replace(/Signature=.*/, 'Signature=none')),
        ...signatureMismatch,
        fields: { ...signatureMismatch.fields, SignatureProvided: 'none' },
      },
      {
        row: '258: no date',
        spoil: withHeader(`${prefix}date`, undefined),
        status: 403,
        code: 'AccessDenied',
        message: `AWS authentication requires a valid Date or ${prefix}date header`,
      },
      {
        row: '258: a date that is none',
        spoil: withHeader(`${prefix}date`, 'now'),
        status: 403,
        code: 'AccessDenied',
        message: `AWS authentication requires a valid Date or ${prefix}date header`,
      },
      {
        row: '259: no space',
        spoil: authorization(() => 'AWS4-HMAC-SHA256'),
        ...invalid("Authorization header is invalid -- one and only one ' ' (space) required."),
      },
      {
        row: '260: another scheme',
        spoil: authorization(() => `Basic ${Buffer.from('owner:owner-secret').toString('base64')}`),
        ...invalid('Unsupported Authorization Type'),
      },
      ...['Credential', 'SignedHeaders', 'Signature'].map(name => ({
        row: `261: no ${name}`,
        spoil: authorization(value => value.replace(`${name}=`, 'Other=')),
        ...malformed(`missing ${name}.`),
      })),
      {
        row: '261: two components',
        spoil: authorization(value => value.replace(/, Signature=.*/, '')),
        ...malformed(
          'the authorization header requires three components: Credential, SignedHeaders, and Signature.',
        ),
      },
      {
        row: '262: another algorithm',
        spoil: authorization(value => value.replace('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256')),
        ...mechanismUnsupported,
      },
      {
        row: '263: no hash of the payload',
        spoil: withHeader(`${prefix}content-sha256`, undefined),
        status: 400,
        code: 'InvalidRequest',
        message: `Missing required header for this request: ${prefix}content-sha256`,
      },
      {
        row: '250: a header of the protocol that was not signed',
        spoil: withHeader(`${prefix}checksum-mode`, 'ENABLED'),
        status: 403,
        code: 'AccessDenied',
        message: 'There were headers present in the request which were not signed',
        fields: { HeadersNotSigned: `${prefix}checksum-mode` },
      },
      {
        row: '250: a host that was not signed',
        spoil: authorization(value => value.replace('SignedHeaders=host;', 'SignedHeaders=')),
        ...headersNotSigned('host'),
      },
      {
        row: '255: a token that the client does not have',
        question: { as: { ...OWNER, ...{ sessionToken: 'a-session-token' } } },
        status: 400,
        code: 'InvalidToken',
        message: 'The provided token is malformed or otherwise invalid.',
      },
    ];

    it.each(cases)('row $row', async ({ question, delivery, spoil = request => request, ...refused }) => {
      const { status, code, message, fields = {} } = refused;
      const make = (method: string) => spoil(door.signed({ ...question, method }, delivery));
      await door.refuses(make, { status, error: { code, message, fields: expect.objectContaining(fields) } });
      const { error } = await door.knock(make('GET'));
      expect(Object.keys(error?.fields ?? {}), 'and no other element').toEqual(Object.keys(fields));
    });

    it('row 247: a credential of another day than the request', async () => {
      const spoil = authorization(value => value.replace(/\/\d{8}\//, '/20000101/'));
      const detail = `Invalid credential date "20000101". This date is not the same as ${parameter}Date: "${day()}".`;
      const { status, ...error } = malformed(detail);
      await door.refuses(method => spoil(door.signed({ method })), { status, error });
    });

    it('row 209: the answer tells neither the right signature nor a token', async () => {
      const wrong = { ...OWNER, secretAccessKey: 'another-secret' };
      const { error, text } = await door.knock(door.signed({ as: wrong }));
      expect(error?.code).toBe('SignatureDoesNotMatch');
      expect(text).not.toContain(signatureOf(door.signed({ as: OWNER })));
      expect(text).toContain(signatureOf(door.signed({ as: wrong })));
      // permanent credentials have no token: that is told before the signature is looked at
      const withToken = await door.knock(
        door.signed({ as: { ...wrong, ...{ sessionToken: 'a-session-token' } } }),
      );
      expect(withToken).toMatchObject({ status: 400, error: { code: 'InvalidToken', fields: {} } });
      expect(withToken.text).not.toContain('a-session-token');
    });

    it.each([-1, 1])('rows 210 and 257: a clock that is off by more than 15 minutes (%i)', async side => {
      const signedAtMs = nowMs() + side * 900_000;
      const isoSeconds = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
      expect((await door.knock(door.signed({}, { nowMs: signedAtMs }))).status, 'by 15 minutes').toBe(200);
      const tooLateMs = signedAtMs + side * 1000;
      await door.refuses(method => door.signed({ method }, { nowMs: tooLateMs }), {
        status: 403,
        error: {
          code: 'RequestTimeTooSkewed',
          message: 'The difference between the request time and the current time is too large.',
          fields: {
            RequestTime: isoSeconds(tooLateMs).replace(/[-:]/g, ''),
            ServerTime: isoSeconds(nowMs()),
            MaxAllowedSkewMilliseconds: '900000',
          },
        },
      });
    });

    it('row 262: version 2, whose headers were of one dialect only', async () => {
      const request = { path: '/box/k', headers: { authorization: 'AWS owner:c2lnbmF0dXJl' } };
      const { status, code, message } = mechanismUnsupported;
      const refused = { status, error: { code, message, fields: {} } };
      await door.refuses(method => ({ ...request, method }), refused, 'x-amz-');
    });

    it('row 264: a hash of a body, where a read has none', async () => {
      const payloadHash = 'ab'.repeat(32);
      await door.refuses(method => door.signed({ method }, { payloadHash }), {
        status: 400,
        error: {
          code: 'XAmzContentSHA256Mismatch',
          message: `The provided '${prefix}content-sha256' header does not match what was computed.`,
          fields: { ClientComputedContentSHA256: payloadHash, S3ComputedContentSHA256: EMPTY_PAYLOAD_HASH },
        },
      });
    });

    it('row 266: a signature in the headers and one in the query', async () => {
      const make = (method: string) => {
        const { path } = door.presigned({ method });
        return { ...door.signed({ method }), path };
      };
      await door.refuses(make, {
        status: 400,
        error: {
          code: 'InvalidArgument',
          message: `Only one auth mechanism allowed; only the ${parameter}Algorithm query parameter, Signature query string parameter or the Authorization header should be specified`,
          fields: { ArgumentName: 'Authorization' },
        },
      });
    });

    it('row 267: where everybody may read, a bad signature is still refused', async () => {
      expect(await door.knock({ path: '/open/k' }, dialects.store)).toMatchObject({
        status: 200,
        text: 'content',
      });
      const { status, code, message, fields } = signatureMismatch;
      const question = { path: '/open/k', as: { ...OWNER, secretAccessKey: 'another-secret' } };
      const CanonicalRequest = expect.stringContaining('/open/k\n');
      await door.refuses(method => door.signed({ ...question, method }), {
        status,
        error: { code, message, fields: { ...fields, CanonicalRequest } },
      });
      const unknown = await door.knock(door.signed({ path: '/open/k', as: STRANGER }));
      expect(unknown).toMatchObject({ status: 403, error: { code: 'InvalidAccessKeyId' } });
      const basic = await door.knock(
        withHeader('authorization', 'Basic eDp5')(door.signed({ path: '/open/k' })),
      );
      expect(basic.status).toBe(400);
      const empty = await door.knock(withHeader('authorization', '')(door.signed({ path: '/open/k' })));
      expect(empty.status).toBe(400);
    });

    it('row 251: other headers need no signature', async () => {
      const headers = { range: 'bytes=0-2', 'x-custom': 'x', 'if-match': '*', 'accept-encoding': 'gzip' };
      expect(await door.knock(door.signed({ headers }))).toMatchObject({ status: 206, text: 'con' });
    });

    it.each([EMPTY_PAYLOAD_HASH, 'UNSIGNED-PAYLOAD'])('row 264: %s is good for a read', async payloadHash => {
      expect((await door.knock(door.signed({}, { payloadHash }))).status).toBe(200);
    });

    it('row 237: parameters that mean nothing are signed like the others', async () => {
      expect((await door.knock(door.signed({ path: '/box/k?x-id=GetObject&foo=bar' }))).status).toBe(200);
    });
  },
);
