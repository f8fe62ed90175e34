import { expect } from 'vitest';
import type { Spoil } from './door.ts';
import type { Delivery, Question } from './question.ts';

/** Credentials that are wrong in one way, and what they are refused with. */
export interface BadCredentials {
  readonly row: string;
  readonly question?: Partial<Question>;
  readonly delivery?: Partial<Delivery>;
  readonly spoil?: Spoil;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** docs/semantics.md 209, for `/box/k`: all that may be told, and that in this order. */
export const signatureMismatch = {
  status: 403,
  code: 'SignatureDoesNotMatch',
  message:
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  fields: {
    AWSAccessKeyId: 'owner',
    StringToSign: expect.stringMatching(
      /^AWS4-HMAC-SHA256\n\d{8}T\d{6}Z\n\d{8}\/us-east-1\/s3\/aws4_request\n/,
    ),
    SignatureProvided: expect.stringMatching(/^[\da-f]{64}$/),
    StringToSignBytes: expect.stringMatching(/^41 57 53 34 /),
    CanonicalRequest: expect.stringMatching(/^(GET|HEAD)\n\/box\/k\n/),
    CanonicalRequestBytes: expect.stringMatching(/^47 45 54 0a /),
  },
};

/** docs/semantics.md 250, 252 */
export function headersNotSigned(HeadersNotSigned: string) {
  return {
    status: 403,
    code: 'AccessDenied',
    message: 'There were headers present in the request which were not signed',
    fields: { HeadersNotSigned },
  };
}

/** docs/semantics.md 262 */
export const mechanismUnsupported = {
  status: 400,
  code: 'InvalidRequest',
  message: 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
  fields: {},
};

/** docs/semantics.md 208, 256 */
export const accessKeyUnknown = {
  status: 403,
  code: 'InvalidAccessKeyId',
  message: 'The AWS Access Key Id you provided does not exist in our records.',
  fields: { AWSAccessKeyId: 'stranger' },
};
