import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ALGORITHM, EMPTY_PAYLOAD_HASH, type Scope, scopeText } from '../../s3/sigv4-canonical.ts';
import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import { OperationError } from '../protocol/operation-error.ts';

/** The signature of the request headers, with which the chain of chunk signatures starts. */
interface SeedSignature {
  readonly signingKey: KeyObject;
  readonly scope: Scope;
  readonly timestamp: string;
  readonly seedSignature: string;
}

/** Verifies the chain of signatures of a streamed body. */
export function chunkSignatures({
  signingKey,
  scope,
  timestamp,
  seedSignature,
}: SeedSignature): ChunkSignatures {
  let previous = seedSignature;
  const check = (kind: string, hashes: readonly string[], provided = '') => {
    const text = [`${ALGORITHM}-${kind}`, timestamp, scopeText(scope), previous, ...hashes].join('\n');
    previous = createHmac('sha256', signingKey).update(text).digest('hex');
    // hashed first, since the comparison needs equal lengths
    if (!timingSafeEqual(hash('sha256', provided, 'buffer'), hash('sha256', previous, 'buffer'))) {
      throw new OperationError('SignatureDoesNotMatch');
    }
  };
  return {
    checkChunk: (sha256, signature) => check('PAYLOAD', [EMPTY_PAYLOAD_HASH, sha256], signature),
    checkTrailer: (sha256, signature) => check('TRAILER', [sha256], signature),
  };
}
