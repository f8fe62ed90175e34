import { expect, it } from 'vitest';
import type { SignedRequest } from '../../../src/s3/sigv4-request.ts';
import { accessKeyId, presigned, refusal, withParameters } from '../../support/published-requests.ts';

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

const refused: [row: string, request: SignedRequest, status: number, code: string, message: string][] = [
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
  [
    '249 of Amazon S3',
    withParameters({ 'X-Amz-Algorithm': 'AWS4-ECDSA-P256-SHA256' }),
    400,
    queryError,
    'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"',
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
];

it.each(refused)(
  'a presigned URL is refused, row %s of docs/semantics.md',
  (_, request, status, code, message) => {
    expect(refusal(request, { region: 'us-east-1' })).toMatchObject({ status, code, message });
  },
);
