import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  checksumBytes,
  parseChecksumAlgorithm,
} from '../checksum/checksum-algorithm.ts';
import { withoutPrefix } from './dialect.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** The checksum that a client sends for its content: in a header, or in a trailer after the content. */
export type ClaimedChecksum =
  | { readonly kind: 'header'; readonly algorithm: ChecksumAlgorithm; readonly value: string }
  | { readonly kind: 'trailer'; readonly algorithm: ChecksumAlgorithm };

/** @throws InvalidRequest for an invalid value and for more than one checksum */
export function claimedChecksum(request: OperationRequest): ClaimedChecksum | undefined {
  const claims: ClaimedChecksum[] = [];
  for (const algorithm of checksumAlgorithms) {
    const value = request.prefixed(headerOf(algorithm));
    if (value === undefined) continue;
    demandForm(request, algorithm, value);
    claims.push({ kind: 'header', algorithm, value });
  }
  const trailer = withoutPrefix(request.prefixed('trailer')?.trim().toLowerCase() ?? '');
  const algorithm = trailer?.startsWith('checksum-') && parseChecksumAlgorithm(trailer.slice(9));
  if (algorithm) claims.push({ kind: 'trailer', algorithm });
  if (claims.length <= 1) return claims[0];
  throw new OperationError('InvalidRequest', {
    message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  });
}

/** The checksum value, once the trailers have been received. */
export function resolveClaim(
  claim: ClaimedChecksum,
  trailers: ReadonlyMap<string, string>,
): string | undefined {
  if (claim.kind === 'header') return claim.value;
  for (const [name, value] of trailers) if (withoutPrefix(name) === headerOf(claim.algorithm)) return value;
  return undefined;
}

function headerOf(algorithm: ChecksumAlgorithm): string {
  return `checksum-${algorithm.toLowerCase()}`;
}

function demandForm(request: OperationRequest, algorithm: ChecksumAlgorithm, value: string): void {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === checksumBytes[algorithm] && bytes.toString('base64') === value) return;
  throw new OperationError('InvalidRequest', {
    message: `Value for ${request.prefix}${headerOf(algorithm)} header is invalid.`,
  });
}
