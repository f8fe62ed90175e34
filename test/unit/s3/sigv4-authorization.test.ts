import { expect, it } from 'vitest';
import type { SignedRequest } from '../../../src/s3/sigv4-request.ts';
import {
  accessKeyId,
  authorization,
  refusal,
  withAuthorization,
  withHeaders,
} from '../../support/published-requests.ts';

const malformed = 'AuthorizationHeaderMalformed';
const misformed =
  'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".';
const unsupported =
  'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.';

const refused: [row: string, request: SignedRequest, status: number, code: string, message: string][] = [
  [
    '122',
    authorization({ Credential: `${accessKeyId}/20130524/x/s3/aws4_request` }),
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
    withAuthorization('AWS4-HMAC-SHA256'),
    400,
    'InvalidArgument',
    "Authorization header is invalid -- one and only one ' ' (space) required.",
  ],
  ['260', withAuthorization('Basic dTpw'), 400, 'InvalidArgument', 'Unsupported Authorization Type'],
  ...(
    [
      ['SignedHeaders-host;x-amz-date', 'SignedHeaders-host;x-amz-date'],
      ['Signature', 'Signature'],
      ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '[redacted]'],
    ] as const
  ).map(([sent, shown]): (typeof refused)[number] => [
    `261 ${shown}`,
    withAuthorization(`AWS4-HMAC-SHA256 Credential=a, Signature=b, ${sent}`),
    400,
    malformed,
    `The authorization header is malformed; the authorization component "${shown}" is malformed.`,
  ]),
  [
    '261 Credential',
    authorization({ Credential: '' }),
    400,
    malformed,
    'The authorization header is malformed; missing Credential.',
  ],
  [
    '261 SignedHeaders',
    authorization({ SignedHeaders: '' }),
    400,
    malformed,
    'The authorization header is malformed; missing SignedHeaders.',
  ],
  [
    '261 Signature',
    authorization({ Signature: '' }),
    400,
    malformed,
    'The authorization header is malformed; missing Signature.',
  ],
  [
    '261 two of three',
    withAuthorization('AWS4-HMAC-SHA256 Credential=a, Signature=b'),
    400,
    malformed,
    'The authorization header is malformed; the authorization header requires three components: Credential, SignedHeaders, and Signature.',
  ],
  [
    '261 credential',
    authorization({ Credential: 'a/b' }),
    400,
    malformed,
    `The authorization header is malformed; ${misformed}`,
  ],
  ['262', withAuthorization(`AWS ${accessKeyId}:abc=`), 400, 'InvalidRequest', unsupported],
  [
    '262 another algorithm',
    withAuthorization('AWS4-ECDSA-P256-SHA256 Credential=a'),
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

it.each(refused)(
  'an Authorization header is refused, row %s of docs/semantics.md',
  (_, request, status, code, message) => {
    expect(refusal(request, { region: 'us-east-1' })).toMatchObject({ status, code, message });
  },
);

it('a request that shows both prefixes is read in the usual one, and the other must be signed too', () => {
  expect(refusal(withHeaders({ 'x-store-date': '20130524T000000Z' }))).toMatchObject({
    code: 'AccessDenied',
    fields: { HeadersNotSigned: 'x-store-date' },
  });
});
