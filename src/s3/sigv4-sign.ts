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

/** The signer's credentials, the scope and the time. */
export interface SigningContext {
  readonly credentials: Credentials;
  readonly region: string;
  /** The service of an access point, or that of queues; the default is `s3`. */
  readonly service?: AccessPointService | 'sqs';
  readonly headerPrefix: HeaderPrefix;
  readonly nowMs: number;
  readonly keys: SigningKeys;
}

/** A request before it is signed, in wire format. */
interface RequestToSign {
  readonly method: string;
  /** The Host header, with the port unless it is the scheme's default. */
  readonly host: string;
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** Without date, payload hash and token, which signing adds. */
  readonly headers: Pairs;
  /** SHA-256 of the body in lower-case hex, `EMPTY_PAYLOAD_HASH` or `UNSIGNED_PAYLOAD`. */
  readonly payloadHash: string;
}

/**
 * Signs a request in its headers (AWS Signature Version 4) and returns the headers to add: date, payload hash, token if
 * there is one, and authorization. Host, Content-Type, Content-MD5 and all headers with the store's prefix are signed.
 * Others (Range, If-Match, Accept-Encoding …) are not, as proxies may change them.
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

/** Lower-case names, sorted; repeated values are joined as in RFC 9110 §5.3. */
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

/** A request to be allowed by a URL alone. */
interface RequestToPresign {
  readonly method: string;
  /** Scheme and authority, such as `https://photos.s3.example.test`. */
  readonly origin: string;
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** Headers that the caller must send exactly like this; Host is always signed. */
  readonly headers?: Pairs;
  /** In whole seconds from the context's time, 1 to 604800 (docs/semantics.md 240). */
  readonly expiresS: number;
}

/** A URL that allows the request to anyone who has it until it expires. */
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
