import type { KeyObject } from 'node:crypto';
import type { HeaderPrefix } from './dialect.ts';
import { EMPTY_PAYLOAD_HASH, type Scope, UNSIGNED_PAYLOAD } from './sigv4-canonical.ts';
import type { SignatureClaim } from './sigv4-claim.ts';
import { payloadHashInvalid, payloadHashMismatch } from './sigv4-errors.ts';
import type { SigningKeys } from './sigv4-keys.ts';

/** What a signature covers of the request body. */
export type SignedPayload =
  | { readonly kind: 'unsigned' }
  /** Lower-case hex; EMPTY_PAYLOAD_HASH for no body. */
  | { readonly kind: 'hash'; readonly sha256: string }
  /** A chunked body; `name` is its kind, the rest is the initial state for verifying signed chunks. */
  | {
      readonly kind: 'streaming';
      readonly name: string;
      readonly seedSignature: string;
      readonly timestamp: string;
      readonly scope: Scope;
      readonly signingKey: KeyObject;
    };

/**
 * Reads what a verified signature covers of the body.
 *
 * @throws S3Error InvalidArgument for a value that is neither a hash nor one of the constants allowed instead
 */
export function readSignedPayload(
  claim: SignatureClaim,
  secretAccessKey: string,
  keys: SigningKeys,
): SignedPayload {
  const { payloadHash, accessKeyId, scope, timestamp, signature: seedSignature, headerPrefix } = claim;
  if (payloadHash === UNSIGNED_PAYLOAD) return { kind: 'unsigned' };
  if (/^[\da-f]{64}$/.test(payloadHash)) return { kind: 'hash', sha256: payloadHash };
  if (!payloadHash.startsWith('STREAMING-')) throw payloadHashInvalid(headerPrefix, payloadHash);
  const signingKey = keys.keyFor({ accessKeyId, secretAccessKey }, scope);
  return { kind: 'streaming', name: payloadHash, seedSignature, timestamp, scope, signingKey };
}

/**
 * Refuses a signature that covers a body when there is none: a read is signed with the hash of the empty string or with
 * UNSIGNED-PAYLOAD.
 *
 * @throws S3Error XAmzContentSHA256Mismatch (docs/semantics.md 264)
 */
export function requireNoPayload(payload: SignedPayload, headerPrefix: HeaderPrefix): void {
  if (payload.kind === 'unsigned') return;
  const claimed = payload.kind === 'hash' ? payload.sha256 : payload.name;
  if (claimed !== EMPTY_PAYLOAD_HASH) throw payloadHashMismatch(headerPrefix, claimed, EMPTY_PAYLOAD_HASH);
}
