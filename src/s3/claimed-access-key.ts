import { fullyDecoded } from './percent-decode.ts';

/** Characters of ids that stores give out, which may be names. */
const id = /^[\w.@+=-]{1,128}$/;

/** A name of a region or service. A secret in its place is longer, or at least as long and of mixed case. */
const scopeName = '(?:[a-z\\d-]{1,24}|[\\w.:-]{1,12})';
const shortName = new RegExp(`^${scopeName}?$`);

/** A credential: the access key id and the scope. A secret in place of the id may contain slashes. */
const credentialPattern = new RegExp(`^([^/]+)/\\d{8}/${scopeName}/${scopeName}/aws4_request$`);

const inHeader = /\bCredential=([^,\s]+)/;

/** The name of the parameter of a presigned URL, in lower case. */
const credentialName = /^x-(?:amz|store)-credential$/;

/**
 * The access key id that a signed request claims, for the log; undefined where there is none that may be shown. The
 * logged URL shows credentials by the same rule.
 */
export function claimedAccessKey(authorization: string | undefined, url: string): string | undefined {
  const inAuthorization = inHeader.exec(authorization ?? '')?.[1];
  return inAuthorization === undefined ? keyInQuery(url) : keyOfCredential(inAuthorization);
}

function keyInQuery(url: string): string | undefined {
  const mark = url.indexOf('?');
  if (mark < 0) return undefined;
  for (const parameter of url.slice(mark + 1).split('&')) {
    const equals = parameter.indexOf('=');
    if (equals < 0 || !credentialName.test(fullyDecoded(parameter.slice(0, equals)).toLowerCase())) continue;
    return shownKeyOf('x-amz-credential', fullyDecoded(parameter.slice(equals + 1)));
  }
  return undefined;
}

/**
 * The access key id in a parameter, if it may be shown. Users confuse id and secret, so a value that may be a secret
 * is not shown (docs/architecture.md, law 7).
 *
 * @param name decoded and in lower case; parameters other than those of presigned URLs contain none
 * @param value decoded
 */
export function shownKeyOf(name: string, value: string): string | undefined {
  if (credentialName.test(name)) return keyOfCredential(value);
  // Signature Version 2
  return name === 'awsaccesskeyid' && isAccessKeyId(value) ? value : undefined;
}

/**
 * What was sent as a part of a credential's scope, or as the name of an algorithm, as errors and log lines quote it:
 * what may be a secret in its place is not shown (docs/architecture.md, law 7).
 */
export function quotedPart(text: string): string {
  return shortName.test(text) ? text : '[redacted]';
}

function keyOfCredential(credential: string): string | undefined {
  const key = credentialPattern.exec(credential)?.[1];
  return key !== undefined && isAccessKeyId(key) ? key : undefined;
}

/**
 * Whether `key` is an id rather than a secret. Secrets are random text: 40 characters or more with lower case (Amazon
 * S3, Google, Cloudflare, Storj), or 30 of mixed case (Backblaze). Longer ids are of upper case (Google).
 */
export function isAccessKeyId(key: string): boolean {
  if (!id.test(key)) return false;
  const [hasLower, hasUpper] = [/[a-z]/.test(key), /[A-Z]/.test(key)];
  const isLikeSecret = hasLower && (key.length >= 40 || (key.length >= 30 && hasUpper));
  return !isLikeSecret;
}
