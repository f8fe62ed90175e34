import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessKeyUnknown,
  type BadCredentials,
  headersNotSigned,
  mechanismUnsupported,
  signatureMismatch,
} from '../../support/conformance/bad-credentials.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Door, STRANGER, withHeader, withParameter } from '../../support/conformance/door.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';

const parameters = ['Algorithm', 'Credential', 'Signature', 'Date', 'SignedHeaders', 'Expires'];
const queryError = (message: string, fields = {}) => ({
  status: 400,
  code: 'AuthorizationQueryParametersError',
  message,
  fields,
});
const isoSeconds = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;

describe.each(crossedDialects)('docs/semantics.md, section 12, URLs: $client to $store, $over', dialects => {
  const prefix = dialects.client;
  const named = prefix === 'x-amz-' ? 'X-Amz-' : 'X-Store-';
  let door: Door;

  beforeAll(async () => {
    door = await Door.start(dialects);
  });
  afterAll(() => door.stop());

  const nowMs = () => door.lab.store.clock.nowMs();
  const inCredential = (from: string | RegExp, to: string) =>
    withParameter(`${named}Credential`, value => value.replace(from, to));
  const badCredential = (detail: string, fields = {}) =>
    queryError(`Error parsing the ${named}Credential parameter; ${detail}`, fields);

  const cases: readonly BadCredentials[] = [
    {
      row: '122: a URL for another region',
      delivery: { region: 'mars-1' },
      ...badCredential("the region 'mars-1' is wrong; expecting 'us-east-1'", { Region: 'us-east-1' }),
    },
    {
      row: '240: a life of more than a week',
      spoil: withParameter(`${named}Expires`, '604801'),
      ...queryError(
        `${named}Expires must be less than a week (in seconds); that is, the given ${named}Expires must be less than 604800 seconds`,
      ),
    },
    {
      row: '241: a life that is no number',
      spoil: withParameter(`${named}Expires`, 'abc'),
      ...queryError(`${named}Expires should be a number`),
    },
    {
      row: '242: a life of less than nothing',
      spoil: withParameter(`${named}Expires`, '-1'),
      ...queryError(`${named}Expires must be non-negative`),
    },
    ...parameters.map(name => ({
      row: `244: no ${name}`,
      spoil: withParameter(named + name, undefined),
      ...queryError(
        `Query-string authentication version 4 requires the ${named}Algorithm, ${named}Credential, ${named}Signature, ${named}Date, ${named}SignedHeaders, and ${named}Expires parameters.`,
      ),
    })),
    {
      row: '246: a credential with a part missing',
      spoil: inCredential('owner/', ''),
      ...badCredential(
        'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
      ),
    },
    {
      row: '246: a scope of another service',
      spoil: inCredential('/s3/', '/sqs/'),
      ...badCredential('incorrect service "sqs". This endpoint belongs to "s3".'),
    },
    {
      row: '246: a scope with another end',
      spoil: inCredential('aws4_request', 'aws5_request'),
      ...badCredential('incorrect terminal "aws5_request". This endpoint uses "aws4_request".'),
    },
    {
      row: '246: a scope whose date is none',
      spoil: inCredential(/\/\d{8}\//, '/today/'),
      ...badCredential(
        'incorrect date format "today". This date in the credential must be in the format "yyyyMMdd".',
      ),
    },
    {
      row: '248: a date in another form',
      spoil: withParameter(`${named}Date`, '2026-11-21T00:00:00Z'),
      ...queryError(`${named}Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`),
    },
    {
      row: '249: another algorithm',
      spoil: withParameter(`${named}Algorithm`, 'AWS4-HMAC-SHA1'),
      ...queryError(`${named}Algorithm only supports "AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256"`),
    },
    {
      row: '250: a header of the protocol that was not signed',
      spoil: withHeader(`${prefix}checksum-mode`, 'ENABLED'),
      ...headersNotSigned(`${prefix}checksum-mode`),
    },
    {
      row: '252: a header beside the parameter of its name',
      spoil: withHeader(`${prefix}expires`, '3600'),
      ...headersNotSigned(`${prefix}expires`),
    },
    {
      row: '252: a signed header with another value',
      question: { fields: { 'checksum-mode': 'ENABLED' } },
      spoil: withHeader(`${prefix}checksum-mode`, 'DISABLED'),
      ...signatureMismatch,
    },
    {
      row: '254: a parameter added after signing',
      spoil: withParameter('response-expires', '1'),
      ...signatureMismatch,
    },
    {
      row: '209: a signature of another key',
      question: { path: '/box/other' },
      spoil: request => ({ ...request, path: request.path.replace('/box/other', '/box/k') }),
      ...signatureMismatch,
    },
    {
      row: '209: a signature with another secret',
      question: { as: { ...OWNER, secretAccessKey: 'another-secret' } },
      ...signatureMismatch,
    },
    {
      row: '256: an unknown access key',
      question: { as: STRANGER },
      ...accessKeyUnknown,
    },
    {
      row: '255: a token that the client does not have',
      question: { as: { ...OWNER, ...{ sessionToken: 'a-session-token' } } },
      status: 400,
      code: 'InvalidToken',
      message: 'The provided token is malformed or otherwise invalid.',
    },
  ];

  it.each(cases)('row $row', async ({ question, delivery, spoil, ...refused }) => {
    const { status, code, message, fields = {} } = refused;
    const make = (method: string) => {
      const request = door.presigned({ ...question, method }, delivery);
      return spoil ? spoil(request) : request;
    };
    await door.refuses(make, { status, error: { code, message, fields } });
  });

  it.each([
    [238, 60, 60],
    [243, 0, 0],
  ])('row %i: a life of %i seconds is over after them', async (_row, expiresS, ageS) => {
    const signedAtMs = nowMs() - ageS * 1000;
    const make = (method: string) => door.presigned({ method }, { nowMs: signedAtMs }, expiresS);
    await door.refuses(make, {
      status: 403,
      error: {
        code: 'AccessDenied',
        message: 'Request has expired',
        fields: {
          [`${named}Expires`]: String(expiresS),
          Expires: isoSeconds(signedAtMs + expiresS * 1000),
          ServerTime: isoSeconds(nowMs()),
        },
      },
    });
    if (expiresS === 0) return;
    const inTime = await door.knock(door.presigned({}, { nowMs: signedAtMs + 1000 }, expiresS));
    expect(inTime).toMatchObject({ status: 200, text: 'content' });
  });

  it('row 239: a URL that is signed for later', async () => {
    const signedAtMs = nowMs() + 901_000;
    expect((await door.knock(door.presigned({}, { nowMs: nowMs() + 900_000 }))).status).toBe(200);
    await door.refuses(method => door.presigned({ method }, { nowMs: signedAtMs }), {
      status: 403,
      error: {
        code: 'AccessDenied',
        message: 'Request is not yet valid',
        fields: {
          [`${named}Date`]: String(signedAtMs),
          Expires: isoSeconds(signedAtMs + 60_000),
          ServerTime: isoSeconds(nowMs()),
        },
      },
    });
  });

  it('row 240: a week is the longest life', async () => {
    expect((await door.knock(door.presigned({}, {}, 604_800))).status).toBe(200);
  });

  it('row 247: a credential of another day than the date', async () => {
    const day = new Date(nowMs()).toISOString().slice(0, 10).replaceAll('-', '');
    const message = `Invalid credential date "20000101". This date is not the same as ${named}Date: "${day}".`;
    const { status, ...error } = queryError(message);
    const spoil = inCredential(/\/\d{8}\//, '/20000101/');
    await door.refuses(method => spoil(door.presigned({ method })), { status, error });
  });

  it('rows 245 and 262: version 2, incomplete and complete', async () => {
    const v2 = (query: string) => (method: string) => ({ method, path: `/box/k?${query}` });
    const incomplete = {
      code: 'AccessDenied',
      message: 'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
      fields: {},
    };
    for (const query of ['Signature=x', 'AWSAccessKeyId=owner&Expires=1', 'Signature=x&Expires=1']) {
      await door.refuses(v2(query), { status: 403, error: incomplete }, dialects.store);
    }
    const { status, ...complete } = mechanismUnsupported;
    const query = 'AWSAccessKeyId=owner&Expires=1&Signature=x';
    await door.refuses(v2(query), { status, error: complete }, dialects.store);
  });

  it('rows 250 and 251: what is not of the protocol, and the hash of the payload, need no signature', async () => {
    const headers = {
      range: 'bytes=0-2',
      'if-match': '*',
      'content-type': 'text/plain',
      'x-custom': 'x',
      [`${prefix}content-sha256`]: 'UNSIGNED-PAYLOAD',
    };
    expect(await door.knock(door.presigned({ headers }))).toMatchObject({ status: 206, text: 'con' });
  });

  it('row 253: a URL for GET is none for HEAD, nor the other way, however warm the cache', async () => {
    for (const [signed, sent] of [
      ['GET', 'HEAD'],
      ['HEAD', 'GET'],
    ] as const) {
      await door.lab.ask({ path: '/box/k' });
      const reply = await door.knock({ ...door.presigned({ method: signed }), method: sent });
      expect(reply.status).toBe(403);
      expect(reply.error?.code).toBe(sent === 'HEAD' ? undefined : 'SignatureDoesNotMatch');
    }
  });

  it('row 266: signatures of both dialects in one URL', async () => {
    const other = prefix === 'x-amz-' ? 'x-store-' : 'x-amz-';
    const more = door.presigned({}, { prefix: other }).path.split('?')[1];
    const { path, ...request } = door.presigned();
    const reply = await door.knock({ ...request, path: `${path}&${more}` });
    expect(reply).toMatchObject({ status: 400, error: { code: 'InvalidArgument' } });
  });

  it('row 267: where everybody may read, a bad URL is still refused', async () => {
    const late = { nowMs: nowMs() - 61_000 };
    await door.lab.ask({ path: '/open/k' });
    for (const request of [
      door.presigned({ path: '/open/k' }, late),
      door.presigned({ path: '/open/k', as: STRANGER }),
      withParameter(`${named}Signature`, '0'.repeat(64))(door.presigned({ path: '/open/k' })),
    ]) {
      expect((await door.knock(request)).status).toBe(403);
    }
  });

  it('a customer key in a URL reaches no log', async () => {
    const key = Buffer.alloc(32, 'k').toString('base64');
    const path = `/box/k?${prefix}server-side-encryption-customer-key=${encodeURIComponent(key)}`;
    const reply = await door.knock(door.presigned({ path }), prefix, [key, encodeURIComponent(key)]);
    expect(reply.status).toBe(200);
  });
});
