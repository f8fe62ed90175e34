import { isAccessKeyId, quotedPart } from './claimed-access-key.ts';
import { type HeaderPrefix, parameterPrefix } from './dialect.ts';
import { S3Error, s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';
import { type CanonicalParts, canonicalRequest } from './sigv4-canonical.ts';

/** The location of a signature: the Authorization header, or the query of a presigned URL. */
export type SignatureScheme = 'header' | 'presigned';

/** The allowed clock skew in either direction (docs/semantics.md 210, 257). */
export const MAX_SKEW_MS = 900_000;

/** A presigned URL is valid for a week at most (docs/semantics.md 240). */
export const MAX_EXPIRES_S = 604_800;

/** docs/semantics.md 266 */
export function severalMechanisms(): S3Error {
  return s3Error('InvalidArgument', {
    reason: 'several signatures',
    message:
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    fields: [['ArgumentName', 'Authorization']],
  });
}

/** docs/semantics.md 259 and 260; the value is not quoted, since it may be a password. */
export function authorizationInvalid(message: string): S3Error {
  return s3Error('InvalidArgument', {
    reason: 'malformed Authorization header',
    message,
    fields: [['ArgumentName', 'Authorization']],
  });
}

/** docs/semantics.md 262 */
export function mechanismUnsupported(): S3Error {
  return s3Error('InvalidRequest', {
    reason: 'unsupported kind of signature',
    message: errorTexts.mechanismUnsupported,
  });
}

/** docs/semantics.md 245 */
export function version2Incomplete(): S3Error {
  return s3Error('AccessDenied', {
    reason: 'unsupported kind of signature',
    message: 'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
  });
}

/** docs/semantics.md 261 */
export function headerMalformed(detail: string): S3Error {
  return s3Error('AuthorizationHeaderMalformed', {
    message: `The authorization header is malformed; ${detail}`,
    reason: 'malformed Authorization header',
  });
}

/** docs/semantics.md 249; whoever sends the other algorithm that Amazon has is not told that it is supported. */
export function algorithmUnsupported(algorithm: string, parameter: string): S3Error {
  const isOther = algorithm === 'AWS4-ECDSA-P256-SHA256';
  return queryMalformed(
    `${parameter} only supports "AWS4-HMAC-SHA256${isOther ? '' : ' and AWS4-ECDSA-P256-SHA256'}"`,
  );
}

/** docs/semantics.md 240 to 249 */
export function queryMalformed(message: string): S3Error {
  return s3Error('AuthorizationQueryParametersError', {
    message,
    reason: 'malformed parameters of a signature',
  });
}

/** docs/semantics.md 122 and 246: a malformed credential or scope, with the text for its scheme. */
export function credentialMalformed(scheme: SignatureScheme, prefix: HeaderPrefix, detail: string): S3Error {
  return scheme === 'header'
    ? headerMalformed(detail)
    : queryMalformed(`Error parsing the ${parameterPrefix(prefix)}Credential parameter; ${detail}`);
}

/**
 * docs/semantics.md 122. Clients ask again in the region that the header or the body names; the answer to a HEAD has
 * the header only.
 */
export function regionWrong(
  scheme: SignatureScheme,
  prefix: HeaderPrefix,
  signed: string,
  expected: string,
): S3Error {
  const detail = `the region '${quotedPart(signed)}' is wrong; expecting '${expected}'`;
  const { code, status, message } = credentialMalformed(scheme, prefix, detail);
  return new S3Error({
    ...{ code, status, message, reason: 'wrong region' },
    fields: [['Region', expected]],
    headers: [[`${prefix}bucket-region`, expected]],
  });
}

/** docs/semantics.md 244 */
export function queryIncomplete(prefix: HeaderPrefix): S3Error {
  const name = (suffix: string) => parameterPrefix(prefix) + suffix;
  return queryMalformed(
    `Query-string authentication version 4 requires the ${name('Algorithm')}, ${name('Credential')}, ${name('Signature')}, ${name('Date')}, ${name('SignedHeaders')}, and ${name('Expires')} parameters.`,
  );
}

/** docs/semantics.md 247, with the text for its scheme. */
export function credentialDateDiffers(
  scheme: SignatureScheme,
  prefix: HeaderPrefix,
  credentialDate: string,
  requestDate: string,
): S3Error {
  const detail = `Invalid credential date "${credentialDate}". This date is not the same as ${parameterPrefix(prefix)}Date: "${requestDate}".`;
  return scheme === 'header' ? headerMalformed(detail) : queryMalformed(detail);
}

/** docs/semantics.md 258 */
export function dateMissing(prefix: HeaderPrefix): S3Error {
  return s3Error('AccessDenied', {
    reason: 'missing date',
    message: `AWS authentication requires a valid Date or ${prefix}date header`,
  });
}

/** docs/semantics.md 210, 257 */
export function timeTooSkewed(requestTime: string, nowMs: number): S3Error {
  return s3Error('RequestTimeTooSkewed', {
    reason: 'clock skew',
    fields: [
      ['RequestTime', requestTime],
      ['ServerTime', isoSeconds(nowMs)],
      ['MaxAllowedSkewMilliseconds', String(MAX_SKEW_MS)],
    ],
  });
}

/** docs/semantics.md 238, 243 */
export function expired(prefix: HeaderPrefix, expiresS: number, expiresAtMs: number, nowMs: number): S3Error {
  return s3Error('AccessDenied', {
    reason: 'expired',
    message: 'Request has expired',
    fields: [
      [`${parameterPrefix(prefix)}Expires`, String(expiresS)],
      ['Expires', isoSeconds(expiresAtMs)],
      ['ServerTime', isoSeconds(nowMs)],
    ],
  });
}

/** docs/semantics.md 239 */
export function notYetValid(
  prefix: HeaderPrefix,
  signedAtMs: number,
  expiresAtMs: number,
  nowMs: number,
): S3Error {
  return s3Error('AccessDenied', {
    reason: 'clock skew',
    message: 'Request is not yet valid',
    fields: [
      [`${parameterPrefix(prefix)}Date`, String(signedAtMs)],
      ['Expires', isoSeconds(expiresAtMs)],
      ['ServerTime', isoSeconds(nowMs)],
    ],
  });
}

/** docs/semantics.md 250, 252 */
export function headersNotSigned(names: readonly string[]): S3Error {
  return s3Error('AccessDenied', {
    reason: 'header that is not signed',
    message: 'There were headers present in the request which were not signed',
    fields: [['HeadersNotSigned', names.join(', ')]],
  });
}

/** docs/semantics.md 263 */
export function payloadHashMissing(prefix: HeaderPrefix): S3Error {
  return s3Error('InvalidRequest', {
    reason: 'missing payload hash',
    message: `Missing required header for this request: ${prefix}content-sha256`,
  });
}

/** As Amazon S3 lists them, those of signatures that are not taken here among them. */
const payloadHashNames = [
  ...['UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
  ...['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'],
  ...['STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER'],
].join(', ');

/** The value is neither a hash nor one of the constants allowed instead. */
export function payloadHashInvalid(prefix: HeaderPrefix, value: string): S3Error {
  return s3Error('InvalidArgument', {
    reason: 'invalid payload hash',
    message: `${prefix}content-sha256 must be ${payloadHashNames} or a valid sha256 value.`,
    fields: [
      ['ArgumentName', `${prefix}content-sha256`],
      ['ArgumentValue', value],
    ],
  });
}

/** docs/semantics.md 264 */
export function payloadHashMismatch(prefix: HeaderPrefix, claimed: string, computed: string): S3Error {
  return s3Error('XAmzContentSHA256Mismatch', {
    reason: 'payload hash of something else',
    message: `The provided '${prefix}content-sha256' header does not match what was computed.`,
    fields: [
      ['ClientComputedContentSHA256', claimed],
      ['S3ComputedContentSHA256', computed],
    ],
  });
}

/** docs/semantics.md 208, 256; what may be a secret in the place of the id is not quoted. */
export function accessKeyUnknown(accessKeyId: string): S3Error {
  return s3Error('InvalidAccessKeyId', {
    reason: 'unknown access key',
    fields: isAccessKeyId(accessKeyId) ? [['AWSAccessKeyId', accessKeyId]] : [],
  });
}

/** The two sides of a failed signature comparison. */
interface Mismatch {
  readonly accessKeyId: string;
  readonly stringToSign: string;
  readonly signatureProvided: string;
  readonly parts: CanonicalParts;
}

/**
 * docs/semantics.md 209; tokens, keys and cookies are removed from the canonical request (docs/architecture.md, law
 * 7).
 */
export function signatureMismatch({
  accessKeyId,
  stringToSign,
  signatureProvided,
  parts,
}: Mismatch): S3Error {
  const shown = canonicalRequest({
    ...parts,
    query: parts.query.replace(/([^&=]+)=([^&]*)/g, (pair, name) =>
      isSecret(name) ? `${name}=redacted` : pair,
    ),
    headers: parts.headers.map(([name, value]) => [name, isSecret(name) ? 'redacted' : value]),
  });
  return s3Error('SignatureDoesNotMatch', {
    reason: 'wrong signature',
    fields: [
      ['AWSAccessKeyId', accessKeyId],
      ['StringToSign', stringToSign],
      ['SignatureProvided', signatureProvided],
      ['StringToSignBytes', hexBytes(stringToSign)],
      ['CanonicalRequest', shown],
      ['CanonicalRequestBytes', hexBytes(shown)],
    ],
  });
}

const secretName =
  /^(?:authorization|proxy-authorization|cookie|x-(?:amz|store)-(?:security-token|(?:copy-source-)?server-side-encryption-customer-key(?:-md5)?))$/i;

function isSecret(name: string): boolean {
  return secretName.test(name);
}

function hexBytes(text: string): string {
  return Buffer.from(text, 'latin1')
    .toString('hex')
    .replace(/..(?!$)/g, '$& ');
}

function isoSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
