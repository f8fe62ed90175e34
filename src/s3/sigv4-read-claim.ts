import { type HeaderPrefix, parameterPrefix } from './dialect.ts';
import { parseQuery, type Query, queryValue } from './query.ts';
import { readAuthorization } from './sigv4-authorization.ts';
import type { SignatureClaim } from './sigv4-claim.ts';
import { mechanismUnsupported, severalMechanisms, version2Incomplete } from './sigv4-errors.ts';
import { readPresigned } from './sigv4-presigned.ts';
import type { RequestView } from './sigv4-request.ts';

/**
 * Finds the signature of a request, in the Authorization header or in the query, with either prefix. Undefined when the
 * request has no credentials.
 * @throws S3Error of docs/semantics.md 228, 244 to 249, 258 to 263 or 266 when they are malformed, incomplete or not
 *   supported
 */
export function readSignatureClaim(request: RequestView): SignatureClaim | undefined {
  const authorization = request.headers.get('authorization');
  const query = parseQuery(request.rawQuery);
  const prefixes = headerPrefixes.filter(prefix => isPresigned(query, prefix));
  const version2 = ['Signature', 'AWSAccessKeyId'].some(name => queryValue(query, name) !== undefined);
  if (request.authorizations + prefixes.length + Number(version2) > 1) throw severalMechanisms();
  if (authorization !== undefined) return readAuthorization(authorization, request.headers);
  if (version2) throw refuseVersion2(query);
  return prefixes[0] && readPresigned(query, request.headers, prefixes[0]);
}

const headerPrefixes: readonly HeaderPrefix[] = ['x-amz-', 'x-store-'];

function isPresigned(query: Query, headerPrefix: HeaderPrefix): boolean {
  const prefix = parameterPrefix(headerPrefix);
  return ['Algorithm', 'Credential', 'Signature'].some(
    name => queryValue(query, prefix + name) !== undefined,
  );
}

function refuseVersion2(query: Query) {
  const complete = ['Signature', 'Expires', 'AWSAccessKeyId'].every(name => queryValue(query, name));
  return complete ? mechanismUnsupported() : version2Incomplete();
}
