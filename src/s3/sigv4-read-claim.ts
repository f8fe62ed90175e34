import { type HeaderPrefix, parameterPrefix } from './dialect.ts';
import { readAuthorization } from './sigv4-authorization.ts';
import type { SignatureClaim } from './sigv4-claim.ts';
import { mechanismUnsupported, severalMechanisms, version2Incomplete } from './sigv4-errors.ts';
import { readPresigned } from './sigv4-presigned.ts';
import { queryParameters, type RequestView } from './sigv4-request.ts';

/**
 * Finds the signature of a request, in the Authorization header or in the query, under either prefix.
 * Gives undefined when the request shows no credentials at all; throws the S3Error of behaviours.md 244 to 249,
 * 258 to 263 or 266 when it shows some that are malformed, incomplete or not supported.
 */
export function readClaim(request: RequestView): SignatureClaim | undefined {
  const authorization = request.headers.get('authorization');
  const parameters = queryParameters(request.rawQuery);
  const prefixes = headerPrefixes.filter(prefix => isPresigned(parameters, prefix));
  const version2 = parameters.has('Signature') || parameters.has('AWSAccessKeyId');
  if (request.authorizations + prefixes.length + Number(version2) > 1) throw severalMechanisms();
  if (authorization !== undefined) return readAuthorization(authorization, request.headers);
  if (version2) throw refuseVersion2(parameters);
  return prefixes[0] && readPresigned(parameters, request.headers, prefixes[0]);
}

const headerPrefixes: readonly HeaderPrefix[] = ['x-amz-', 'x-store-'];

function isPresigned(parameters: ReadonlyMap<string, string>, headerPrefix: HeaderPrefix): boolean {
  const prefix = parameterPrefix(headerPrefix);
  return ['Algorithm', 'Credential', 'Signature'].some(name => parameters.has(prefix + name));
}

function refuseVersion2(parameters: ReadonlyMap<string, string>) {
  const complete = ['Signature', 'Expires', 'AWSAccessKeyId'].every(name => parameters.get(name));
  return complete ? mechanismUnsupported() : version2Incomplete();
}
