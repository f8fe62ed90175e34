import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { s3Error } from './error.ts';
import { ALGORITHM, EMPTY_PAYLOAD_HASH, type Scope, scopeText } from './sigv4-canonical.ts';

/** What the chain of chunk signatures starts with: the signature of the request's head, and what it was made with. */
export interface ChunkSigning {
  readonly seedSignature: string;
  readonly timestamp: string;
  readonly scope: Scope;
  readonly signingKey: KeyObject;
}

/** Checks the signatures in a body (AWS Signature Version 4, streaming): each one covers the one before it. */
export class ChunkSignatures {
  readonly #signing: ChunkSigning;
  #previous: string;

  constructor(signing: ChunkSigning) {
    this.#signing = signing;
    this.#previous = signing.seedSignature;
  }

  /** @throws S3Error SignatureDoesNotMatch */
  checkChunk(sha256: string, signature: string): void {
    this.#check(`${ALGORITHM}-PAYLOAD`, `${EMPTY_PAYLOAD_HASH}\n${sha256}`, signature);
  }

  /**
   * @param sha256 of the trailers, `name:value\n` each
   * @throws S3Error SignatureDoesNotMatch
   */
  checkTrailers(sha256: string, signature: string): void {
    this.#check(`${ALGORITHM}-TRAILER`, sha256, signature);
  }

  #check(kind: string, hashes: string, signature: string): void {
    const { timestamp, scope, signingKey } = this.#signing;
    const text = `${kind}\n${timestamp}\n${scopeText(scope)}\n${this.#previous}\n${hashes}`;
    this.#previous = createHmac('sha256', signingKey).update(text, 'latin1').digest('hex');
    // the comparison in constant time needs texts of one length
    if (timingSafeEqual(digestOf(signature), digestOf(this.#previous))) return;
    throw s3Error('SignatureDoesNotMatch', { reason: 'a chunk of the body has another signature' });
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
