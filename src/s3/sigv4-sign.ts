import type { AccessPointService } from './access-point.ts';
import { type HeaderPrefix, parameterPrefix } from './dialect.ts';
import type { Pairs } from './error.ts';
import {
  ALGORITHM,
  canonicalQuery,
  canonicalRequest,
  canonicalUri,
  compare,
  encodeForQuery,
  type Scope,
  SERVICE,
  scopeText,
  signedHeaderNames,
  stringToSign,
  timestampOf,
  UNSIGNED_PAYLOAD,
} from './sigv4-canonical.ts';
import type { Credentials, SigningKeys } from './sigv4-keys.ts';

/** Who signs, for where, and when. */
export interface SigningContext {
  readonly credentials: Credentials;
  readonly region: string;
  /** Of an access point, its own; object stores sign for `s3`. */
  readonly service?: AccessPointService;
  readonly headerPrefix: HeaderPrefix;
  readonly nowMs: number;
  readonly keys: SigningKeys;
}

/** A request before it is signed, as it will stand on the wire. */
export interface RequestToSign {
  readonly method: string;
  /** The Host header, with the port unless it is the scheme's own. */
  readonly host: string;
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** Date, payload hash and token are not among them: signing adds those. */
  readonly headers: Pairs;
  /** SHA-256 of the body in lower-case hex, `EMPTY_PAYLOAD_HASH` or `UNSIGNED_PAYLOAD`. */
  readonly payloadHash: string;
}

/**
 * Signs a request in its headers (AWS Signature Version 4) and gives the headers to add to it: date, payload hash,
 * token where there is one, and authorization. Signed are Host, Content-Type, Content-MD5 and whatever begins with
 * the store's prefix; the rest (Range, If-Match, Accept-Encoding …) may be changed by proxies on the way.
 */
export function signRequest(request: RequestToSign, context: SigningContext): Pairs {
  const { credentials, region, service = SERVICE, headerPrefix, keys } = context;
  const timestamp = timestampOf(context.nowMs);
  const scope: Scope = { date: timestamp.slice(0, 8), region, service };
  const added: [string, string][] = [
    [`${headerPrefix}date`, timestamp],
    [`${headerPrefix}content-sha256`, request.payloadHash],
  ];
  if (credentials.sessionToken) added.push([`${headerPrefix}security-token`, credentials.sessionToken]);
  const headers = headersToSign(request.host, [...request.headers, ...added], headerPrefix);
  const canonical = canonicalRequest({
    method: request.method,
    uri: canonicalUri(request.rawPath),
    query: canonicalQuery(request.rawQuery),
    headers,
    payloadHash: request.payloadHash,
  });
  const signature = keys.sign(credentials, scope, stringToSign(timestamp, scope, canonical));
  const credential = `${credentials.accessKeyId}/${scopeText(scope)}`;
  added.push([
    'authorization',
    `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedHeaderNames(headers)}, Signature=${signature}`,
  ]);
  return added;
}

/** Lower-case names in order; the values of a name that comes twice are one value, joined as RFC 9110 §5.3 joins them. */
function headersToSign(host: string, headers: Pairs, prefix: HeaderPrefix): Pairs {
  const signed: [string, string][] = [['host', host]];
  for (const [sentName, value] of headers) {
    const name = sentName.toLowerCase();
    if (!name.startsWith(prefix) && name !== 'content-type' && name !== 'content-md5') continue;
    const before = signed.find(pair => pair[0] === name);
    if (before) before[1] += `,${value}`;
    else signed.push([name, value]);
  }
  return signed.sort((a, b) => compare(a[0], b[0]));
}

/** A request that a URL alone shall allow. */
export interface RequestToPresign {
  readonly method: string;
  /** Scheme and authority, such as `https://photos.s3.example.test`. */
  readonly origin: string;
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** Headers that the caller must send just so; Host is signed in any case. */
  readonly headers?: Pairs;
  /** Whole seconds from the context's time on, 1 to 604800 (behaviours.md 240). */
  readonly expiresS: number;
}

/** The URL that allows the request to whoever holds it until it expires. */
export function presignUrl(request: RequestToPresign, context: SigningContext): string {
  const { credentials, region, service = SERVICE, keys } = context;
  const timestamp = timestampOf(context.nowMs);
  const scope: Scope = { date: timestamp.slice(0, 8), region, service };
  const headers = everyHeader(new URL(request.origin).host, request.headers ?? []);
  const prefix = parameterPrefix(context.headerPrefix);
  const parameters: [string, string][] = [
    ['Algorithm', ALGORITHM],
    ['Credential', `${credentials.accessKeyId}/${scopeText(scope)}`],
    ['Date', timestamp],
    ['Expires', String(request.expiresS)],
    ['SignedHeaders', signedHeaderNames(headers)],
  ];
  if (credentials.sessionToken) parameters.push(['Security-Token', credentials.sessionToken]);
  const added = parameters.map(([name, value]) => `${prefix}${name}=${encodeForQuery(value)}`).join('&');
  const query = canonicalQuery(request.rawQuery === '' ? added : `${request.rawQuery}&${added}`);
  const uri = canonicalUri(request.rawPath);
  const { method } = request;
  const canonical = canonicalRequest({ method, uri, query, headers, payloadHash: UNSIGNED_PAYLOAD });
  const signature = keys.sign(credentials, scope, stringToSign(timestamp, scope, canonical));
  return `${request.origin}${uri}?${query}&${prefix}Signature=${signature}`;
}

function everyHeader(host: string, headers: Pairs): Pairs {
  const lowered = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return [['host', host] as const, ...lowered].sort((a, b) => compare(a[0], b[0]));
}
