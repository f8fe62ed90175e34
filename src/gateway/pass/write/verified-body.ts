import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import type { HeaderPrefix } from '../../../s3/dialect.ts';
import { type PayloadEncoder, PlainEncoder, TrailerEncoder } from '../../../s3/payload-encoder.ts';
import { UNSIGNED_TRAILER_STREAM } from '../../../s3/payload-hash.ts';
import { PayloadVerifier } from '../../../s3/payload-verifier.ts';
import { UNSIGNED_PAYLOAD } from '../../../s3/sigv4-canonical.ts';
import type { BodyConversion } from './client-body.ts';

/** The dialects of the client and of the store. */
interface Prefixes {
  readonly client: HeaderPrefix;
  readonly store: HeaderPrefix;
}

/** A whole body: verified against what the client declared of it, and encoded for the store. */
export class VerifiedBody implements BodyConversion {
  readonly lengthBytes: number;
  readonly payloadHash: string;
  readonly #verifier: PayloadVerifier;
  readonly #encoder: PayloadEncoder;

  constructor(declared: DeclaredPayload, prefixes: Prefixes, pass: (bytes: Buffer) => void) {
    this.#encoder = encoderFor(declared, prefixes.store, pass);
    this.#verifier = new PayloadVerifier(declared, prefixes.client, bytes => this.#encoder.content(bytes));
    this.lengthBytes = this.#encoder.lengthBytes;
    this.payloadHash = payloadHashOf(declared);
  }

  take(bytes: Buffer): void {
    this.#verifier.write(bytes);
  }

  end(): void {
    this.#encoder.end(this.#verifier.end());
  }
}

function encoderFor(
  { lengthBytes, checksum }: DeclaredPayload,
  prefix: HeaderPrefix,
  pass: (bytes: Buffer) => void,
): PayloadEncoder {
  if (checksum?.kind !== 'trailer') return new PlainEncoder(lengthBytes, pass);
  const { algorithm } = checksum;
  return new TrailerEncoder(lengthBytes, `${prefix}checksum-${algorithm}`, algorithm, pass);
}

/** The gateway signs no chunks: it holds the end of the body back instead. */
function payloadHashOf({ sha256, checksum }: DeclaredPayload): string {
  if (checksum?.kind === 'trailer') return UNSIGNED_TRAILER_STREAM;
  return sha256 ?? UNSIGNED_PAYLOAD;
}
