import { type HeaderPrefix, parameterPrefix } from './dialect.ts';
import { readPayloadHash } from './payload-hash.ts';
import { type Query, queryValue } from './query.ts';
import { ALGORITHM, UNSIGNED_PAYLOAD } from './sigv4-canonical.ts';
import {
  checkDate,
  parseCredential,
  parseTimestamp,
  type SignatureClaim,
  splitNames,
} from './sigv4-claim.ts';
import { algorithmUnsupported, MAX_EXPIRES_S, queryIncomplete, queryMalformed } from './sigv4-errors.ts';

/**
 * Parses the signature of a presigned URL.
 *
 * @param headers by lower-case name
 * @throws S3Error of docs/semantics.md 122, 240 to 242 and 244 to 249, and those of `readPayloadHash`
 */
export function readPresigned(
  query: Query,
  headers: ReadonlyMap<string, string>,
  headerPrefix: HeaderPrefix,
): SignatureClaim {
  const prefix = parameterPrefix(headerPrefix);
  const required = (name: string): string => {
    const value = queryValue(query, prefix + name);
    if (!value) throw queryIncomplete(headerPrefix);
    return value;
  };
  const [algorithm, credential, signature] = [
    required('Algorithm'),
    required('Credential'),
    required('Signature'),
  ];
  const [date, names, expires] = [required('Date'), required('SignedHeaders'), required('Expires')];
  if (algorithm !== ALGORITHM) {
    throw algorithmUnsupported(algorithm, `${prefix}Algorithm`);
  }
  const { accessKeyId, scope } = parseCredential(credential, 'presigned', headerPrefix);
  const signedAtMs = parseTimestamp(date);
  if (signedAtMs === undefined) {
    throw queryMalformed(`${prefix}Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  }
  checkDate(scope, date, 'presigned', headerPrefix);
  const signedHeaders = splitNames(names);
  const hashHeader = `${headerPrefix}content-sha256`;
  // Signers that move headers into the query keep the spelling of the header.
  const payloadHash =
    queryValue(query, `${prefix}Content-Sha256`) ||
    queryValue(query, hashHeader) ||
    (signedHeaders.includes(hashHeader) && headers.get(hashHeader)) ||
    UNSIGNED_PAYLOAD;
  readPayloadHash(payloadHash, headerPrefix);
  return {
    scheme: 'presigned',
    headerPrefix,
    accessKeyId,
    scope,
    timestamp: date,
    signedAtMs,
    expiresS: parseExpires(expires, `${prefix}Expires`),
    signedHeaders,
    signature,
    payloadHash,
    sessionToken:
      queryValue(query, `${prefix}Security-Token`) ?? headers.get(`${headerPrefix}security-token`),
  };
}

/** docs/semantics.md 240 to 242; 0 is accepted here and expires at once (243). */
function parseExpires(text: string, name: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw queryMalformed(`${name} should be a number`);
  const expiresS = Number(text);
  if (expiresS < 0) throw queryMalformed(`${name} must be non-negative`);
  if (expiresS > MAX_EXPIRES_S) {
    throw queryMalformed(
      `${name} must be less than a week (in seconds); that is, the given ${name} must be less than 604800 seconds`,
    );
  }
  return expiresS;
}
