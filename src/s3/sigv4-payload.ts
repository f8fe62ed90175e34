import type { ChunkSigning } from './chunk-signatures.ts';
import type { HeaderPrefix } from './dialect.ts';
import { type PayloadStream, type PlainPayload, readPayloadHash } from './payload-hash.ts';
import { EMPTY_PAYLOAD_HASH } from './sigv4-canonical.ts';
import type { SignatureClaim } from './sigv4-claim.ts';
import { payloadHashMismatch } from './sigv4-errors.ts';
import type { SigningKeys } from './sigv4-keys.ts';

/** What a signature covers of the request body. */
export type SignedPayload = PlainPayload | (PayloadStream & { readonly signing: ChunkSigning });

/**
 * Reads what a verified signature covers of the body.
 *
 * @throws S3Error those of `readPayloadHash`
 */
export function readSignedPayload(
  claim: SignatureClaim,
  secretAccessKey: string,
  keys: SigningKeys,
): SignedPayload {
  const { accessKeyId, scope, timestamp, signature: seedSignature } = claim;
  const payload = readPayloadHash(claim.payloadHash, claim.headerPrefix);
  if (payload.kind !== 'stream') return payload;
  const signingKey = keys.keyFor({ accessKeyId, secretAccessKey }, scope);
  return { ...payload, signing: { seedSignature, timestamp, scope, signingKey } };
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
