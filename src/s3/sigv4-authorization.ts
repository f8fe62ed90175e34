import { parseHttpDate } from '../http/http-date.ts';
import { quotedPart } from './claimed-access-key.ts';
import type { HeaderPrefix } from './dialect.ts';
import { readPayloadHash } from './payload-hash.ts';
import { ALGORITHM, timestampOf } from './sigv4-canonical.ts';
import {
  checkDate,
  parseCredential,
  parseTimestamp,
  type SignatureClaim,
  splitNames,
} from './sigv4-claim.ts';
import {
  authorizationInvalid,
  dateMissing,
  headerMalformed,
  mechanismUnsupported,
  payloadHashMissing,
} from './sigv4-errors.ts';

/**
 * Parses the signature in an Authorization header.
 *
 * @param headers by lower-case name
 * @throws S3Error of docs/semantics.md 122 and 257 to 263, and those of `readPayloadHash`
 */
export function readAuthorization(value: string, headers: ReadonlyMap<string, string>): SignatureClaim {
  const headerPrefix = prefixOf(headers);
  const { credential, signedHeaders, signature } = readComponents(value);
  const { accessKeyId, scope } = parseCredential(credential, 'header', headerPrefix);
  const moment = headerMoment(headers, headerPrefix);
  if (!moment) throw dateMissing(headerPrefix);
  checkDate(scope, moment.timestamp, 'header', headerPrefix);
  const payloadHash = headers.get(`${headerPrefix}content-sha256`);
  if (!payloadHash) throw payloadHashMissing(headerPrefix);
  readPayloadHash(payloadHash, headerPrefix);
  return {
    scheme: 'header',
    headerPrefix,
    accessKeyId,
    scope,
    ...moment,
    expiresS: undefined,
    signedHeaders: splitNames(signedHeaders),
    signature,
    payloadHash,
    sessionToken: headers.get(`${headerPrefix}security-token`),
  };
}

/** The prefix of the headers that every signature needs; `x-amz-` when a request has both. */
function prefixOf(headers: ReadonlyMap<string, string>): HeaderPrefix {
  const shows = (prefix: HeaderPrefix) =>
    headers.has(`${prefix}date`) || headers.has(`${prefix}content-sha256`);
  return shows('x-store-') && !shows('x-amz-') ? 'x-store-' : 'x-amz-';
}

/** docs/semantics.md 259 to 262: the scheme, a space, and exactly three components in any order. */
function readComponents(value: string) {
  const space = value.indexOf(' ');
  if (space < 0)
    throw authorizationInvalid("Authorization header is invalid -- one and only one ' ' (space) required.");
  const scheme = value.slice(0, space);
  if (scheme === 'AWS' || (scheme.startsWith('AWS4-') && scheme !== ALGORITHM)) throw mechanismUnsupported();
  if (scheme !== ALGORITHM) throw authorizationInvalid('Unsupported Authorization Type');
  const components = value.slice(space + 1).split(',');
  if (components.length !== 3) {
    throw headerMalformed(
      'the authorization header requires three components: Credential, SignedHeaders, and Signature.',
    );
  }
  const malformed = components.map(text => text.trim()).find(text => !text.includes('='));
  if (malformed !== undefined) {
    throw headerMalformed(`the authorization component "${quotedComponent(malformed)}" is malformed.`);
  }
  const component = (name: string): string => {
    const found = components.map(text => text.trim()).find(text => text.startsWith(`${name}=`));
    const content = found?.slice(name.length + 1);
    if (!content) throw headerMalformed(`missing ${name}.`);
    return content;
  };
  return {
    credential: component('Credential'),
    signedHeaders: component('SignedHeaders'),
    signature: component('Signature'),
  };
}

/** Names of headers are no secret; what else stands there may be. */
function quotedComponent(text: string): string {
  return /^SignedHeaders[\w;-]*$/.test(text) ? text : quotedPart(text);
}

/** The time of signing: from the store's date header, which takes precedence, or from Date. */
function headerMoment(headers: ReadonlyMap<string, string>, prefix: HeaderPrefix) {
  const text = headers.get(`${prefix}date`) ?? headers.get('date');
  if (text === undefined) return undefined;
  const basicMs = parseTimestamp(text);
  if (basicMs !== undefined) return { signedAtMs: basicMs, timestamp: text };
  const dateMs = parseHttpDate(text);
  return dateMs === undefined ? undefined : { signedAtMs: dateMs, timestamp: timestampOf(dateMs) };
}
