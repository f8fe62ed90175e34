import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ALGORITHM, EMPTY_PAYLOAD_HASH, type Scope, scopeText } from '../../s3/sigv4-canonical.ts';
import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import { OperationError } from '../protocol/operation-error.ts';

/** What the first chunk's signature continues: that of the request's headers. */
export interface SeedSignature {
  readonly signingKey: KeyObject;
  readonly scope: Scope;
  readonly timestamp: string;
  readonly seedSignature: string;
}

/** Follows the chain of signatures through a streamed body. */
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
    // equal lengths, as the comparison needs them, whatever was provided
    if (!timingSafeEqual(hash('sha256', provided, 'buffer'), hash('sha256', previous, 'buffer'))) {
      throw new OperationError('SignatureDoesNotMatch');
    }
  };
  return {
    checkChunk: (sha256, signature) => check('PAYLOAD', [EMPTY_PAYLOAD_HASH, sha256], signature),
    checkTrailer: (sha256, signature) => check('TRAILER', [sha256], signature),
  };
}
