import { Sha256 } from '@aws-crypto/sha256-js';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../src/s3/error.ts';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { requireNoPayload } from '../../../src/s3/sigv4-payload.ts';
import type { RawRequest } from '../../../src/s3/sigv4-request.ts';
import { presignUrl, signRequest } from '../../../src/s3/sigv4-sign.ts';
import { SigV4Verifier } from '../../../src/s3/sigv4-verify.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const credentials = { accessKeyId, secretAccessKey };
const signedAtMs = Date.UTC(2013, 4, 24);
const host = 'examplebucket.s3.amazonaws.com';

interface Scene {
  readonly clock?: ManualClock;
  readonly region?: string;
  readonly sessionToken?: string;
}

function verify(
  request: RawRequest,
  { clock = new ManualClock(signedAtMs), region, sessionToken }: Scene = {},
) {
  const findClient = (id: string) =>
    id === accessKeyId ? { secretAccessKey, sessionToken, name: 'demo' } : undefined;
  return new SigV4Verifier({ findClient, clock, keys: new SigningKeys() }).verify(request, region);
}

/** The refusal of a request, as its status, code, text and fields. */
function refusal(request: RawRequest, scene?: Scene) {
  try {
    verify(request, scene);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    const { status, code, message, fields } = error;
    return { status, code, message, fields: Object.fromEntries(fields) };
  }
  throw new Error('the request was not refused');
}

/** A published example: a range of an object, with the range signed. */
const published = {
  method: 'GET',
  url: '/test.txt',
  rawHeaders: [
    'Host',
    host,
    'Authorization',
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    'Range',
    'bytes=0-9',
    'x-amz-content-sha256',
    EMPTY_PAYLOAD_HASH,
    'x-amz-date',
    '20130524T000000Z',
  ],
};

const publishedUrl =
  '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
const presigned = { method: 'GET', url: publishedUrl, rawHeaders: ['host', host] };

/** The published request with some of its headers replaced, or taken away. */
function withHeaders(
  changes: Record<string, string | undefined>,
  request: RawRequest = published,
): RawRequest {
  const kept = request.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !Object.keys(changes).some(change => change.toLowerCase() === name.toLowerCase())
      ? [name, request.rawHeaders[index + 1] ?? '']
      : [],
  );
  const set = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return { ...request, rawHeaders: [...kept, ...set] };
}

/** The published URL with some of its parameters replaced, or taken away. */
function withParameters(changes: Record<string, string | undefined>): RawRequest {
  const url = new URL(publishedUrl, 'http://h');
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return { ...presigned, url: url.pathname + url.search };
}

const authorization = (value: string) => withHeaders({ Authorization: value });
const component = {
  Credential: `${accessKeyId}/20130524/us-east-1/s3/aws4_request`,
  SignedHeaders: 'host;x-amz-date',
  Signature: 'ab',
};
const header = (changes: Record<string, string>) => {
  const pairs = Object.entries({ ...component, ...changes }).map(pair => pair.join('='));
  return authorization(`AWS4-HMAC-SHA256 ${pairs.join(', ')}`);
};

describe('the published examples', () => {
  it('accepts the signature in headers', () => {
    expect(verify(published)).toMatchObject({
      kind: 'signed',
      accessKeyId,
      scheme: 'header',
      headerPrefix: 'x-amz-',
      client: { name: 'demo' },
      payload: { kind: 'hash', sha256: EMPTY_PAYLOAD_HASH },
      expiresAtMs: undefined,
    });
  });

  it('accepts the presigned URL, and tells until when it is good', () => {
    expect(verify(presigned)).toMatchObject({
      kind: 'signed',
      scheme: 'presigned',
      payload: { kind: 'unsigned' },
      expiresAtMs: signedAtMs + 86_400_000,
    });
  });

  it('does not accept a signature for one host where the target names another (RFC 9112 §3.2.2)', () => {
    const request = { ...presigned, url: `http://another.s3.amazonaws.com${publishedUrl}` };
    expect(refusal(request).code).toBe('SignatureDoesNotMatch');
  });

  it('accepts a request target in absolute form', () => {
    expect(verify({ ...presigned, url: `http://${host}${publishedUrl}` }).kind).toBe('signed');
  });
});

describe('beside independent signers', () => {
  const smithy = new SignatureV4({
    service: 's3',
    region: 'eu-west-1',
    sha256: Sha256,
    uriEscapePath: false,
    credentials,
  });
  const paths = [
    '/b/k',
    '/b//a/../b/./c//',
    '/b/a%20b%2Bc%25%C3%A9',
    '/b/a%2Fb',
    '/b/%c3%a9',
    "/b/!'()*+,;=:@$&~",
  ];

  it.each(paths)('accepts their signature in headers for %s', async path => {
    const headers = { host: 'h:8080', 'x-amz-content-sha256': EMPTY_PAYLOAD_HASH, 'x-amz-meta-x': ' a   b ' };
    const query = { versionId: 'a+/= b', 'x-id': 'GetObject', acl: '' };
    const signed = await smithy.sign(
      { method: 'GET', protocol: 'http:', hostname: 'h', port: 8080, path, query, headers },
      { signingDate: new Date(signedAtMs) },
    );
    const url = `${path}?acl&x-id=GetObject&versionId=a%2B%2F%3D%20b`;
    expect(verify({ method: 'GET', url, rawHeaders: Object.entries(signed.headers).flat() }).kind).toBe(
      'signed',
    );
  });

  const client = new S3Client({
    region: 'us-east-1',
    endpoint: 'http://h:8080',
    forcePathStyle: true,
    credentials,
  });
  const key = "dir//a b+c%ü'(1)*!😀";

  it('accepts a URL of their presigner, with overrides and a checksum mode', async () => {
    const command = new GetObjectCommand({
      Bucket: 'b',
      Key: key,
      ResponseContentDisposition: "attachment; filename*=UTF-8''x y+z",
      ChecksumMode: 'ENABLED',
      VersionId: 'v/1=',
    });
    const { pathname, search } = new URL(
      await getSignedUrl(client, command, { signingDate: new Date(signedAtMs) }),
    );
    expect(verify({ method: 'GET', url: pathname + search, rawHeaders: ['Host', 'h:8080'] }).kind).toBe(
      'signed',
    );
  });

  it('refuses HEAD with a URL presigned for GET, and the other way round (behaviours.md 253)', async () => {
    const input = { Bucket: 'b', Key: key };
    const options = { signingDate: new Date(signedAtMs) };
    const get = new URL(await getSignedUrl(client, new GetObjectCommand(input), options));
    const head = new URL(await getSignedUrl(client, new HeadObjectCommand(input), options));
    const rawHeaders = ['Host', 'h:8080'];
    expect(verify({ method: 'HEAD', url: head.pathname + head.search, rawHeaders }).kind).toBe('signed');
    expect(refusal({ method: 'HEAD', url: get.pathname + get.search, rawHeaders }).code).toBe(
      'SignatureDoesNotMatch',
    );
    expect(refusal({ method: 'GET', url: head.pathname + head.search, rawHeaders }).code).toBe(
      'SignatureDoesNotMatch',
    );
  });
});

describe.each(['x-amz-', 'x-store-'] as const)('requests that speak %s', headerPrefix => {
  const context = {
    credentials,
    region: 'us-east-1',
    headerPrefix,
    nowMs: signedAtMs,
    keys: new SigningKeys(),
  };

  it('are verified in headers', () => {
    const request = {
      method: 'GET',
      host,
      rawPath: '/k',
      rawQuery: 'versionId=1',
      headers: [],
      payloadHash: EMPTY_PAYLOAD_HASH,
    };
    const rawHeaders = ['Host', host, ...signRequest(request, context).flat()];
    expect(verify({ method: 'GET', url: '/k?versionId=1', rawHeaders })).toMatchObject({
      kind: 'signed',
      headerPrefix,
    });
    expect(refusal({ method: 'GET', url: '/k?versionId=2', rawHeaders }).code).toBe('SignatureDoesNotMatch');
  });

  it('are verified when presigned, down to the names in refusals', () => {
    const url = new URL(
      presignUrl(
        { method: 'GET', origin: `http://${host}`, rawPath: '/k', rawQuery: '', expiresS: 60 },
        context,
      ),
    );
    const request = { method: 'GET', url: url.pathname + url.search, rawHeaders: ['Host', host] };
    expect(verify(request)).toMatchObject({ kind: 'signed', headerPrefix });
    const name = headerPrefix === 'x-amz-' ? 'X-Amz-Expires' : 'X-Store-Expires';
    expect(refusal(request, { clock: new ManualClock(signedAtMs + 60_000) }).fields[name]).toBe('60');
  });
});

describe('anonymous requests', () => {
  it.each(['/b/k', '/b/k?versionId=1', '/b/k?Expires=1'])('%s shows no credentials', url => {
    expect(verify({ method: 'GET', url, rawHeaders: ['Host', host, 'Range', 'bytes=0-1'] })).toEqual({
      kind: 'anonymous',
    });
  });
});

const malformed = 'AuthorizationHeaderMalformed';
const queryError = 'AuthorizationQueryParametersError';
const misformed =
  'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".';
const parsing = 'Error parsing the X-Amz-Credential parameter;';
const incomplete =
  'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.';
const version2 = 'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters';
const unsupported =
  'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.';
const week =
  'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds';
const scoped = (scope: string) => ({ 'X-Amz-Credential': `${accessKeyId}/${scope}` });

const refused: [row: string, request: RawRequest, status: number, code: string, message: string][] = [
  ['240', withParameters({ 'X-Amz-Expires': '604801' }), 400, queryError, week],
  ['241', withParameters({ 'X-Amz-Expires': 'abc' }), 400, queryError, 'X-Amz-Expires should be a number'],
  ['242', withParameters({ 'X-Amz-Expires': '-1' }), 400, queryError, 'X-Amz-Expires must be non-negative'],
  ...['Algorithm', 'Credential', 'Signature', 'Date', 'SignedHeaders', 'Expires'].map(
    (name): (typeof refused)[number] => [
      `244 ${name}`,
      withParameters({ [`X-Amz-${name}`]: undefined }),
      400,
      queryError,
      incomplete,
    ],
  ),
  ['244 empty', withParameters({ 'X-Amz-Signature': '' }), 400, queryError, incomplete],
  ['245', { ...presigned, url: '/k?Signature=a&AWSAccessKeyId=b' }, 403, 'AccessDenied', version2],
  ['245 signature', { ...presigned, url: '/k?Expires=1&AWSAccessKeyId=b' }, 403, 'AccessDenied', version2],
  [
    '262 query',
    { ...presigned, url: '/k?Signature=a&AWSAccessKeyId=b&Expires=1' },
    400,
    'InvalidRequest',
    unsupported,
  ],
  ['246', withParameters({ 'X-Amz-Credential': 'a/b' }), 400, queryError, `${parsing} ${misformed}`],
  [
    '246 region',
    withParameters(scoped('20130524/eu-west-9/s3/aws4_request')),
    400,
    queryError,
    `${parsing} the region 'eu-west-9' is wrong; expecting 'us-east-1'`,
  ],
  [
    '246 service',
    withParameters(scoped('20130524/us-east-1/ec2/aws4_request')),
    400,
    queryError,
    `${parsing} incorrect service "ec2". This endpoint belongs to "s3".`,
  ],
  [
    '246 terminal',
    withParameters(scoped('20130524/us-east-1/s3/aws5')),
    400,
    queryError,
    `${parsing} incorrect terminal "aws5". This endpoint uses "aws4_request".`,
  ],
  [
    '246 date',
    withParameters(scoped('2013/us-east-1/s3/aws4_request')),
    400,
    queryError,
    `${parsing} incorrect date format "2013". This date in the credential must be in the format "yyyyMMdd".`,
  ],
  [
    '247',
    withParameters({ 'X-Amz-Date': '20130525T000000Z' }),
    400,
    queryError,
    'Invalid credential date "20130524". This date is not the same as X-Amz-Date: "20130525".',
  ],
  [
    '248',
    withParameters({ 'X-Amz-Date': '2013-05-24' }),
    400,
    queryError,
    `X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`,
  ],
  [
    '248 no such day',
    withParameters({ 'X-Amz-Date': '20130231T000000Z' }),
    400,
    queryError,
    `X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`,
  ],
  [
    '249',
    withParameters({ 'X-Amz-Algorithm': 'AWS4-HMAC-MD5' }),
    400,
    queryError,
    'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256"',
  ],
  [
    '122',
    header({ Credential: `${accessKeyId}/20130524/x/s3/aws4_request` }),
    400,
    malformed,
    "The authorization header is malformed; the region 'x' is wrong; expecting 'us-east-1'",
  ],
  [
    '258',
    withHeaders({ 'x-amz-date': undefined }),
    403,
    'AccessDenied',
    'AWS authentication requires a valid Date or x-amz-date header',
  ],
  [
    '258 malformed',
    withHeaders({ 'x-amz-date': 'today' }),
    403,
    'AccessDenied',
    'AWS authentication requires a valid Date or x-amz-date header',
  ],
  [
    '259',
    authorization('AWS4-HMAC-SHA256'),
    400,
    'InvalidArgument',
    "Authorization header is invalid -- one and only one ' ' (space) required.",
  ],
  ['260', authorization('Basic dTpw'), 400, 'InvalidArgument', 'Unsupported Authorization Type'],
  [
    '261 Credential',
    header({ Credential: '' }),
    400,
    malformed,
    'The authorization header is malformed; missing Credential.',
  ],
  [
    '261 SignedHeaders',
    header({ SignedHeaders: '' }),
    400,
    malformed,
    'The authorization header is malformed; missing SignedHeaders.',
  ],
  [
    '261 Signature',
    header({ Signature: '' }),
    400,
    malformed,
    'The authorization header is malformed; missing Signature.',
  ],
  [
    '261 two of three',
    authorization('AWS4-HMAC-SHA256 Credential=a, Signature=b'),
    400,
    malformed,
    'The authorization header is malformed; the authorization header requires three components: Credential, SignedHeaders, and Signature.',
  ],
  [
    '261 credential',
    header({ Credential: 'a/b' }),
    400,
    malformed,
    `The authorization header is malformed; ${misformed}`,
  ],
  ['262', authorization(`AWS ${accessKeyId}:abc=`), 400, 'InvalidRequest', unsupported],
  [
    '262 another algorithm',
    authorization('AWS4-ECDSA-P256-SHA256 Credential=a'),
    400,
    'InvalidRequest',
    unsupported,
  ],
  [
    '263',
    withHeaders({ 'x-amz-content-sha256': undefined }),
    400,
    'InvalidRequest',
    'Missing required header for this request: x-amz-content-sha256',
  ],
];

describe('refusals', () => {
  it.each(refused)('row %s of behaviours.md', (_, request, status, code, message) => {
    expect(refusal(request, { region: 'us-east-1' })).toMatchObject({ status, code, message });
  });

  it('a wrong region names the right one (behaviours.md 122)', () => {
    expect(refusal(published, { region: 'eu-west-1' }).fields).toEqual({ Region: 'eu-west-1' });
  });

  it('a presigned URL ends with the last of its seconds (behaviours.md 238)', () => {
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

  it('a life of no seconds is over, also for a clock that is slow (behaviours.md 243)', () => {
    const clock = new ManualClock(signedAtMs - 1000);
    expect(refusal(withParameters({ 'X-Amz-Expires': '0' }), { clock }).message).toBe('Request has expired');
  });

  it('a week is accepted (behaviours.md 240)', () => {
    expect(refusal(withParameters({ 'X-Amz-Expires': '604800' })).code).toBe('SignatureDoesNotMatch');
  });

  it('a presigned URL of a quarter of an hour from now is not yet valid (behaviours.md 239)', () => {
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
    'a signature in headers may be a quarter of an hour off, no more (behaviours.md 210, 257)',
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

  it('a header of the store that was not signed is named, whichever prefix it has (behaviours.md 250)', () => {
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

  it('a header that repeats a parameter with another value was not signed either (behaviours.md 252)', () => {
    expect(refusal(withHeaders({ 'x-amz-expires': '9' }, presigned)).fields).toEqual({
      HeadersNotSigned: 'x-amz-expires',
    });
  });

  it("the payload hash and what is not the store's need no signing (behaviours.md 250, 251)", () => {
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
    expect(refusal(header({ SignedHeaders: 'x-amz-date' })).fields).toEqual({ HeadersNotSigned: 'host' });
  });

  it('one more parameter breaks the signature (behaviours.md 254)', () => {
    expect(refusal({ ...presigned, url: `${publishedUrl}&x-id=GetObject` }).code).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it('an access key that nobody has is named (behaviours.md 208, 256)', () => {
    expect(
      refusal(
        header({
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
  ])('%s are one mechanism too many (behaviours.md 266)', (_, request) => {
    expect(refusal(request)).toMatchObject({
      status: 400,
      code: 'InvalidArgument',
      message: expect.stringMatching(/^Only one auth mechanism allowed/),
    });
  });

  it('a refusal never quotes a password from the Authorization header', () => {
    expect(JSON.stringify(refusal(authorization('Basic c2VjcmV0')))).not.toContain('c2VjcmV0');
  });
});

describe('SignatureDoesNotMatch (behaviours.md 209)', () => {
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
    const names = [
      'x-amz-security-token',
      'cookie',
      'x-amz-server-side-encryption-customer-key',
      'x-amz-server-side-encryption-customer-key-md5',
    ];
    const request = withHeaders({
      ...Object.fromEntries(names.map(name => [name, `hidden-${name}`])),
      Authorization: `AWS4-HMAC-SHA256 Credential=${component.Credential}, SignedHeaders=${['host', ...names, 'x-amz-date'].join(';')}, Signature=${signature}`,
    });
    for (const refusedRequest of [
      request,
      { ...presigned, url: `${url}&X-Amz-Security-Token=hidden-token` },
    ]) {
      const { fields } = refusal(refusedRequest);
      const bytes = Buffer.from(fields.CanonicalRequestBytes?.replaceAll(' ', '') ?? '', 'hex').toString(
        'latin1',
      );
      expect(bytes).toBe(fields.CanonicalRequest);
      expect(JSON.stringify(fields)).not.toContain('hidden');
    }
  });

  it.each(['', 'ab', 'F'.repeat(64), 'ü'.repeat(64), '0'.repeat(65)].filter(Boolean))(
    'is the answer to the signature %s',
    provided => {
      expect(refusal(header({ Signature: provided, SignedHeaders: 'host;x-amz-date' })).code).toBe(
        'SignatureDoesNotMatch',
      );
    },
  );
});

describe('temporary credentials', () => {
  const context = {
    credentials: { ...credentials, sessionToken: 'tok' },
    region: 'us-east-1',
    headerPrefix: 'x-amz-',
    nowMs: signedAtMs,
    keys: new SigningKeys(),
  } as const;
  const url = new URL(
    presignUrl(
      { method: 'GET', origin: `http://${host}`, rawPath: '/k', rawQuery: '', expiresS: 60 },
      context,
    ),
  );
  const request = { method: 'GET', url: url.pathname + url.search, rawHeaders: ['Host', host] };

  it('are good with their token only', () => {
    expect(verify(request, { sessionToken: 'tok' }).kind).toBe('signed');
    expect(refusal(request, { sessionToken: 'other' })).toMatchObject({ status: 400, code: 'InvalidToken' });
    expect(refusal(request)).toMatchObject({ status: 400, code: 'InvalidToken' });
    expect(refusal(presigned, { sessionToken: 'tok' })).toMatchObject({ status: 400, code: 'InvalidToken' });
  });
});

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

  it('may be unsigned', () => {
    expect(payloadOf('UNSIGNED-PAYLOAD')).toEqual({ kind: 'unsigned' });
  });

  it('may come in signed chunks, for whoever decodes them', () => {
    const name = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    expect(payloadOf(name)).toMatchObject({
      kind: 'streaming',
      name,
      timestamp: '20130524T000000Z',
      seedSignature: expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  it('is refused when it is neither a hash nor a name', () => {
    expect(refusal(signed('nonsense'))).toMatchObject({ status: 400, code: 'InvalidArgument' });
  });

  it('of a read is none (behaviours.md 264)', () => {
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

it("a Date header serves where the store's own is missing", async () => {
  const date = 'Fri, 24 May 2013 00:00:00 GMT';
  const headers = { host, 'x-amz-content-sha256': EMPTY_PAYLOAD_HASH };
  const smithy = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    sha256: Sha256,
    uriEscapePath: false,
    credentials,
  });
  const signed = await smithy.sign(
    { method: 'GET', protocol: 'http:', hostname: host, path: '/k', headers },
    { signingDate: new Date(signedAtMs), unsignableHeaders: new Set(['x-amz-date']) },
  );
  const rawHeaders = [
    'Host',
    host,
    'Date',
    date,
    'x-amz-content-sha256',
    EMPTY_PAYLOAD_HASH,
    'Authorization',
    signed.headers.authorization ?? '',
  ];
  expect(verify({ method: 'GET', url: '/k', rawHeaders }).kind).toBe('signed');
});
