import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import { StoreError } from '../protocol/store-error.ts';
import { ALGORITHM, isSameSignature, type Scope, scopeText, sha256Hex, sign } from './signature-v4.ts';

/** What the first chunk's signature continues: that of the request's headers. */
export interface SeedSignature {
  readonly key: Uint8Array;
  readonly scope: Scope;
  readonly timestamp: string;
  readonly signature: string;
}

const EMPTY_SHA256 = sha256Hex('');

/** Follows the chain of signatures through a streamed body. */
export function chunkSignatures({ key, scope, timestamp, signature: seed }: SeedSignature): ChunkSignatures {
  let previous = seed;
  const check = (kind: string, hashes: readonly string[], signature: string | undefined) => {
    const text = [`${ALGORITHM}-${kind}`, timestamp, scopeText(scope), previous, ...hashes].join('\n');
    previous = sign(key, text);
    if (!isSameSignature(signature ?? '', previous)) throw new StoreError('SignatureDoesNotMatch');
  };
  return {
    checkChunk: (contentSha256, signature) => check('PAYLOAD', [EMPTY_SHA256, contentSha256], signature),
    checkTrailer: (trailerSha256, signature) => check('TRAILER', [trailerSha256], signature),
  };
}
